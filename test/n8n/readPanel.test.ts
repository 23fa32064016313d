import { validate } from '../../nodes/catalog/validate';
import { getModelSpec } from '../../nodes/catalog/modelSpec';
import { readPanel } from '../../nodes/n8n/panel/readPanel';
import type { Media } from '../../nodes/catalog/families';

type Body = Record<string, unknown>;

const A = 'https://example.com/a.png';
const B = 'https://example.com/b.png';
const CLIP = 'https://example.com/clip.mp4';

const bodyOf = (model: string, top: Body, additionalFields: Body = {}, media?: Media) =>
	readPanel(getModelSpec(model, media), {
		top: { prompt: 'a red kite', ...top },
		additionalFields,
	});
const messages = (model: string, body: Body) =>
	validate(getModelSpec(model), body).issues.map(({ message }) => message);

describe('a panel value that is converted', () => {
	it.each([
		['"5"', '5', 5],
		['" 5 "', ' 5 ', 5],
		['"5.0"', '5.0', 5],
		['5', 5, 5],
	])('%s becomes the whole number of seconds', (_given, given, duration) => {
		expect(bodyOf('clipk-v3', { duration: given }).duration).toBe(duration);
	});
	it.each([
		['"-1"', '-1', -1],
		['"0"', '0', 0],
		['0', 0, 0],
	])('%s becomes a seed', (_given, given, seed) => {
		expect(bodyOf('qwn-image-2.0', {}, { seed: given }).seed).toBe(seed);
	});
	it('a text with more digits than a number holds stays, and is named', () => {
		const body = bodyOf('qwn-image-2.0', {}, { seed: '12345678901234567890' });

		expect(body.seed).toBe('12345678901234567890');
		expect(messages('qwn-image-2.0', body)[0]).toContain('Seed must be');
	});
	it('"2.5" becomes a guidance', () => {
		expect(bodyOf('flx-2-flex', {}, { guidance: '2.5' }).guidance).toBe(2.5);
	});
	it.each([
		['"true"', 'true', true],
		['" false "', ' false ', false],
		['true', true, true],
	])('%s becomes a switch', (_given, given, audio) => {
		expect(bodyOf('clipk-v3', {}, { audio: given }).audio).toBe(audio);
	});
	it('a number becomes the text that a text field needs', () => {
		expect(bodyOf('pxv-v6', { action: 'extend', ref_task_id: 12345 }).ref_task_id).toBe('12345');
	});
	it.each<[string, unknown, string[]]>([
		['one link', A, [A]],
		['a link with blanks around it', ` ${A}\n`, [A]],
		['two inputs', [A, B], [A, B]],
		['an input that an expression made a list', [[A, B]], [A, B]],
		['one list that an expression gave for all inputs', [A, [B, '']], [A, B]],
		['inputs of which some are empty', ['', A, '  ', B], [A, B]],
	])('%s becomes a list of links', (_sentence, given, links) => {
		expect(bodyOf('flx-2-pro', { action: 'edit', image_urls: given }).image_urls).toEqual(links);
	});
	it('an entry of Video List becomes a list of one, without what was left empty', () => {
		const item = { video_url: CLIP, refer_type: '', refer_id: null, keep_original_sound: 'no' };
		expect(
			bodyOf('clipk-v3-omni', { action: 'reference_video', video_list: { entry: item } })
				.video_list,
		).toEqual([{ video_url: CLIP, keep_original_sound: 'no' }]);
	});
	it.each<[string, unknown]>([
		['the list itself', [{ video_url: CLIP }]],
		['one object', { video_url: CLIP }],
		['JSON text of the list', `[{ "video_url": "${CLIP}" }]`],
	])('%s from an expression becomes the Video List', (_sentence, given) => {
		expect(
			bodyOf('clipk-v3-omni', { action: 'reference_video', video_list: given }).video_list,
		).toEqual([{ video_url: CLIP }]);
	});
	it('JSON text becomes the object that Extra needs', () => {
		expect(bodyOf('imgn-4.0', {}, { extra: '{ "style": "sketch" }' }).extra).toEqual({
			style: 'sketch',
		});
	});
});

describe('what the user did not set', () => {
	it('is not sent: no default, no Model Default, no empty list, no untouched Video List', () => {
		const fresh = {
			action: 'generate',
			image_urls: [],
			aspect_ratio: '',
			resolution: '',
			duration: '',
			video_list: {},
		};
		expect(bodyOf('clipk-v3-omni', fresh)).toEqual({ prompt: 'a red kite' });
		expect(
			bodyOf('clipk-v3-omni', { ...fresh, action: 'reference_video' }, { video_urls: [CLIP] }),
		).toEqual({ prompt: 'a red kite', action: 'reference_video', video_urls: [CLIP] });
	});
	it('is sent once it is set, even to the value that the gateway assumes', () => {
		expect(bodyOf('clipk-v3', { resolution: '720p', duration: 5 }, { audio: false })).toEqual({
			prompt: 'a red kite',
			resolution: '720p',
			duration: 5,
			audio: false,
		});
	});
	it('names an entry of Video List that was added and left empty', () => {
		const body = bodyOf('clipk-v3-omni', {
			action: 'reference_video',
			video_list: { entry: { video_url: '', refer_type: '' } },
		});
		expect(messages('clipk-v3-omni', body)).toEqual(['Video URL in Video List is empty']);
	});
});

describe('a panel value that cannot be converted', () => {
	it.each<[string, string, Body, Body, string]>([
		[
			'words for seconds',
			'clipk-v2.6',
			{ duration: 'five' },
			{},
			'Duration must be a whole number, but is the text "five"',
		],
		[
			'seconds with their unit',
			'clipk-v2.6',
			{ duration: '5s' },
			{},
			'Duration must be a whole number, but is the text "5s"',
		],
		[
			'half seconds',
			'clipk-v2.6',
			{ duration: '5.5' },
			{},
			'Duration must be a whole number, but is 5.5',
		],
		[
			'seconds beside the accepted ones',
			'clipk-v2.6',
			{ duration: '7' },
			{},
			'Duration must be 5 or 10, but is 7',
		],
		[
			'yes for a switch',
			'clipk-v3',
			{},
			{ audio: 'yes' },
			'Audio must be true or false, but is the text "yes"',
		],
		['1 for a switch', 'clipk-v3', {}, { audio: 1 }, 'Audio must be true or false, but is 1'],
		[
			'a seed in hexadecimal',
			'pxv-v6',
			{},
			{ seed: '0xff' },
			'Seed must be a whole number, but is the text "0xff"',
		],
		[
			'a number among links',
			'flx-2-pro',
			{ action: 'edit', image_urls: [5] },
			{},
			'Image URLs must be a list of links, but is [5]',
		],
		[
			'an object as first frame',
			'clipk-v3',
			{ action: 'image2video', first_frame_image: { url: A } },
			{},
			'First Frame Image must be one link, but is {"url":"https://example.com/a.png"}',
		],
		[
			'text that is no JSON',
			'imgn-4.0',
			{},
			{ extra: '{ style' },
			'Provider Parameters must be a JSON object, but is "{ style"',
		],
	])('stays as it is and is named: %s', (_sentence, model, top, more, message) => {
		expect(messages(model, bodyOf(model, top, more))).toEqual([message]);
	});
});

describe('a JSON body', () => {
	it.each<[string, string, Body, string]>([
		[
			'"5" for a whole number',
			'clipk-v3',
			{ duration: '5' },
			'Duration must be a JSON number, but is the text "5"',
		],
		[
			'"2" for a number of images',
			'gp-4o-image',
			{ n: '2' },
			'Number of Images must be a JSON number, but is the text "2"',
		],
		[
			'"true" for a switch',
			'clipk-v3',
			{ audio: 'true' },
			'Audio must be true or false, but is the text "true"',
		],
		[
			'one link for a list',
			'flx-2-pro',
			{ action: 'edit', image_urls: A },
			`Image URLs must be a list of links, but is "${A}"`,
		],
		['a number for text', 'imgn-4.0', { prompt: 5 }, 'Prompt must be text, but is 5'],
		['null for a seed', 'imgn-4.0', { seed: null }, 'Seed must be a whole number, but is null'],
		[
			'an object for a list',
			'clipk-v3-omni',
			{ action: 'reference_video', video_list: { video_url: CLIP } },
			'Video List must be a list of JSON objects, but is {"video_url":"https://example.com/clip.mp4"}',
		],
	])('is taken literally: %s is refused', (_sentence, model, body, message) => {
		expect(messages(model, { prompt: 'a red kite', ...body })).toEqual([message]);
	});
});

describe('assets picked from the library', () => {
	it('follow the links of their field', () => {
		expect(
			bodyOf(
				'sdn-2.0',
				{ image_urls: [A] },
				{ image_assets: ['asset://ast_01', 'asset://ast_02'], video_assets: ['asset://ast_03'] },
			),
		).toEqual({
			prompt: 'a red kite',
			image_urls: [A, 'asset://ast_01', 'asset://ast_02'],
			video_urls: ['asset://ast_03'],
		});
	});
	it('fill a single link that is empty, and give way to one that is not', () => {
		const picked = {
			first_frame_image_asset: 'asset://ast_01',
			last_frame_image_asset: 'asset://ast_02',
		};
		expect(bodyOf('sdn-2.5', { first_frame_image: A }, picked)).toEqual({
			prompt: 'a red kite',
			first_frame_image: A,
			last_frame_image: 'asset://ast_02',
		});
	});
	it('are named by the check where they are no references, or too many', () => {
		const picked = [{ id: 'ast_01', asset_url: 'asset://ast_01' }];
		const list = bodyOf('sdn-2.0', {}, { image_assets: picked });
		const single = bodyOf(
			'sdn-2.5',
			{},
			{ first_frame_image_asset: ['asset://ast_01', 'asset://ast_02'] },
		);

		expect(messages('sdn-2.0', list)).toEqual([
			expect.stringMatching(/^Image URLs must be a list of links, but is /),
		]);
		expect(messages('sdn-2.5', single)).toEqual([
			expect.stringMatching(/^First Frame Image must be one link, but is /),
		]);
	});
	it('are not sent in a mode that does not offer them', () => {
		const picked = { first_frame_image_asset: 'asset://ast_01', audio_assets: ['asset://ast_02'] };
		expect(bodyOf('sdn-2.5', { action: 'upscale' }, picked)).toEqual({
			prompt: 'a red kite',
			action: 'upscale',
			audio_urls: ['asset://ast_02'],
		});
	});
	it('are not sent to a model that takes none', () => {
		expect(
			bodyOf(
				'clipk-v3',
				{ action: 'image2video', image_urls: [A] },
				{ image_assets: ['asset://ast_01'] },
			),
		).toEqual({ prompt: 'a red kite', action: 'image2video', image_urls: [A] });
	});
});

describe('Extra Body', () => {
	it('adds what no field says, for models whose fields are not all known', () => {
		expect(bodyOf('sdn-2.0', { extra_body: '{ "camera": "slow", "duration": 5 }' })).toEqual({
			prompt: 'a red kite',
			camera: 'slow',
			duration: 5,
		});
		expect(bodyOf('zz-new-1', { extra_body: { style: 'sketch' } }, {}, 'video')).toEqual({
			prompt: 'a red kite',
			style: 'sketch',
		});
	});
	it('gives way to the fields and to the model above it', () => {
		expect(
			bodyOf('sdn-2.0', { extra_body: '{ "prompt": "another", "model": "sdn-2.5" }' }),
		).toEqual({ prompt: 'a red kite' });
	});
	it('is not read for a model whose fields are known', () => {
		expect(bodyOf('clipk-v3', { extra_body: '{ "seed": 5 }' })).toEqual({ prompt: 'a red kite' });
	});
	it.each(['{ "camera": ', '[1]', '"slow"', '5'])(
		'names %s, which is no JSON object, instead of sending it',
		(given) => {
			expect(messages('sdn-2.0', bodyOf('sdn-2.0', { extra_body: given })).join()).toMatch(
				/^Extra Body must be a JSON object, but is /,
			);
		},
	);
});

describe('a value that an expression gives', () => {
	it('may be a date, for a text', () => {
		const date = new Date('2026-11-26T12:00:00Z');

		expect(bodyOf('imgn-4.0', { prompt: date }).prompt).toBe('2026-11-26T12:00:00.000Z');
	});

	it('is no date that is invalid, and no bytes', () => {
		for (const prompt of [new Date('garbage'), Buffer.from('kite')])
			expect(messages('imgn-4.0', bodyOf('imgn-4.0', { prompt }))[0]).toMatch(
				/^Prompt (is empty|must be text)/,
			);
	});

	it.each([{ toString: 5 }, [true], ['TRUE'], 'constructor'])('is no switch: %j', (audio) => {
		expect(messages('clipk-v3', bodyOf('clipk-v3', {}, { audio }))[0]).toMatch(
			/^Audio must be true or false, but is/,
		);
	});

	it.each(['TRUE', 'True', ' true '])('may be %j, for a switch', (audio) => {
		expect(bodyOf('clipk-v3', {}, { audio }).audio).toBe(true);
	});
});
