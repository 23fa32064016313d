import { createRandom } from '../../sandbox/random';
import type { ModelSpec } from '../../nodes/catalog/modelSpec';

export type Body = Record<string, unknown>;

const A = 'https://example.com/a.png';
const V = 'https://example.com/v.mp4';
const letters = (count: number) => 'x'.repeat(count);

/** Values that no field of this kind was made for. */
const ODD: unknown[] = [
	'',
	' ',
	null,
	0,
	1,
	-1,
	1.5,
	'5',
	true,
	false,
	'true',
	[],
	[''],
	{},
	'auto',
	1e21,
];

const LINKS: unknown[] = [
	[A],
	[A, A],
	...[4, 5, 6, 7, 8, 9].map((count) => Array(count).fill(A)),
	[],
	[''],
	A,
	['data:image/png;base64,AAAA'],
	['ftp://example.com/a'],
	['a.png'],
	[5],
	[A, null],
	['http://'],
	['HTTP://EXAMPLE.com/a'],
	['//example.com/a'],
	[` ${A}`],
	['asset://ast_image'],
	['asset://ast_video'],
	['asset://ast_gone'],
	['asset:x'],
	['asset://'],
	['https://example.com/unreadable.png'],
	['https://example.com/4096x3072.png'],
];
const LINK: unknown[] = [
	A,
	A,
	A,
	'photo.png',
	'',
	[A],
	'asset://ast_image',
	'asset://ast_audio',
	'data:image/png;base64,AA',
	5,
	null,
];

/** What is tried for each field: what some model takes, what none does, and both sides of every limit. */
const TRIED: Record<string, unknown[]> = {
	prompt: [
		'a kite',
		...[800, 801, 1000, 1001, 2500, 2501, 5000, 5001].map(letters),
		'😀'.repeat(800),
		'as <<<image_9>>>',
		'',
		' ',
		5,
		null,
		['a'],
	],
	negative_prompt: ['rain', ...[500, 501, 2048, 2049].map(letters), '', 5],
	action: [
		'generate',
		'edit',
		'image2image',
		'reference',
		'search_grounded',
		'image2video',
		'first_last_frame',
		'reference_video',
		'extend',
		'upscale',
		'dance',
		'',
		5,
		null,
	],
	aspect_ratio: [
		'1:1',
		'16:9',
		'9:16',
		'4:3',
		'3:4',
		'3:2',
		'2:3',
		'21:9',
		'9:21',
		'4:5',
		'1:8',
		'8:1',
		'auto',
		'19.5:9',
		'1:2',
		'7:1',
		'',
		5,
		null,
	],
	resolution: [
		'720p',
		'1080p',
		'4K',
		'4k',
		'480p',
		'540p',
		'360p',
		'1K',
		'2K',
		'0.5K',
		'1k',
		'2k',
		'1mp',
		'2mp',
		'9mp',
		'',
		5,
		null,
	],
	duration: [1, 2, 3, 5, 6, 8, 10, 15, 16, 30, 31, 0, 5.5, '5', null],
	image_urls: LINKS,
	img_references: LINKS,
	video_urls: [[V], [V, V], [], 'x', ['asset://ast_video'], ['asset://ast_image'], [5]],
	audio_urls: [['https://example.com/a.mp3'], ['asset://ast_audio'], [], 5],
	first_frame_image: LINK,
	last_frame_image: LINK,
	mask_url: LINK,
	video_list: [
		[{ video_url: V }],
		[{ video_url: V, refer_type: 'base', keep_original_sound: 'yes' }],
		[{ video_url: V, refer_type: 'both' }],
		[{ refer_type: 'base' }],
		[{ video_url: V }, { video_url: V }],
		[{ video_url: V, start: 3 }],
		[],
		{},
		'x',
		[V],
		[{ video_url: 5 }],
		[{ video_url: 'x' }],
		[{ video_url: '' }],
		[{ video_url: V, keep_original_sound: true }],
		[null],
	],
	image_with_roles: [
		[{ url: A }],
		[{ url: A, role: 'hero' }],
		[{ url: 'asset://ast_image' }],
		[{}],
		[{ url: 5 }],
		[],
		{},
		[A],
	],
	n: [1, 2, 4, 3, 6, 7, 10, 11, 12, 13, 0, -1, 1.5, '1', null],
	seed: [0, -1, 1, 2_147_483_647, 2_147_483_648, -2, 1.5, '1', null],
	output_format: ['jpeg', 'png', 'webp', 'jpg', 'gif', ''],
	safety_tolerance: [0, 2, 5, 6, 7, -1, 2.5, '2'],
	steps: [1, 50, 0, 51, 25.5, '25'],
	guidance: [1.5, 10, 5, 1.4, 10.1, '5'],
	quality: ['low', 'medium', 'high', '', 5],
	size: ['1:1', '2:3', '3:2', '16:9', '', '1024x1024'],
	motion_mode: ['normal', 'fast', ''],
	ref_task_id: ['task_done', 'task_running', '', 5, null],
	callback_url: ['https://example.com/hook', 'http://localhost:1/x', 'hook', '', 5],
	callback_events: [['completed'], ['succeeded', 'failed'], [], 'completed', [5]],
	extra: [{}, { style: 'x' }, 'x', []],
	extra_body: [{}, 'x'],
	style: ['ink', 5],
};
const SWITCHES = [
	'audio',
	'watermark',
	'generate_audio',
	'generate_multi_clip_switch',
	'google_search',
	'google_image_search',
	'official_fallback',
	'prompt_upsampling',
];
for (const name of SWITCHES) TRIED[name] = [true, true, false, 'true', 1, null];

/** Fields that an action needs, so that most bodies get past the first question. */
const NEEDS: Record<string, string[]> = {
	edit: ['image_urls'],
	image2image: ['image_urls'],
	reference: ['image_urls'],
	image2video: ['image_urls'],
	first_last_frame: ['first_frame_image', 'last_frame_image'],
	reference_video: ['video_list'],
	extend: ['ref_task_id'],
};

const BESIDE = ['callback_url', 'callback_events', 'extra'];

/** One body for each way to ask the model: nothing but a prompt, each action with what it needs, both frames. */
function waysOf({ actions, fields }: ModelSpec): Body[] {
	const prompt = 'a kite';
	const frames = fields.last_frame_image
		? [{ prompt, first_frame_image: A, last_frame_image: A }]
		: [];
	const withNeeds = actions.map((action) => {
		const needs = (NEEDS[action] ?? []).filter((name) => fields[name]);
		return { prompt, action, ...Object.fromEntries(needs.map((name) => [name, TRIED[name]![0]])) };
	});
	return [{ prompt }, ...withNeeds, ...frames];
}

/** Every way to ask, with every value that is tried for every field, one field at a time. */
export function* singleChanges(spec: ModelSpec): Generator<Body> {
	for (const way of waysOf(spec))
		for (const name of new Set([...Object.keys(spec.fields), ...Object.keys(TRIED), ...BESIDE]))
			for (const value of [...(TRIED[name] ?? []), ...ODD]) yield { ...way, [name]: value };
}

/** Up to three changes at once, by chance, the same ones every time: about half of them are taken. */
export function* randomChanges(spec: ModelSpec, count: number, seed: number): Generator<Body> {
	const roll = createRandom(seed);
	const pick = <T>(list: readonly T[]): T => list[Math.floor(roll() * list.length)] as T;
	const own = [...Object.keys(spec.fields), ...BESIDE];
	const ways = waysOf(spec);
	for (let made = 0; made < count; made += 1) {
		const body: Body = { ...pick(ways) };
		for (let more = Math.floor(roll() * 4); more > 0; more -= 1) {
			const name = roll() < 0.9 ? pick(own) : pick(Object.keys(TRIED));
			body[name] = roll() < 0.9 ? pick(TRIED[name] ?? ODD) : pick(ODD);
		}
		if (roll() < 0.1) delete body[pick(Object.keys(body))];
		yield body;
	}
}
