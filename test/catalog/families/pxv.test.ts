import {
	acceptsAll,
	warnsAbout,
	validateBody,
	COMMON_FIELDS,
	textOfLength,
	PHOTO,
	photos,
	refusesAll,
	type ValidationCase,
	type ValidationFieldCase,
} from '../../support/validation';

const V6 = 'pxv-v6';
const FRAMES = { first_frame_image: PHOTO, last_frame_image: PHOTO };
const EXTEND = { action: 'extend', ref_task_id: 'task_01' };

describe('pxv-v6 under generate', () => {
	acceptsAll([
		['a bare prompt', V6, {}],
		[
			'everything that goes with a prompt alone',
			V6,
			{
				...COMMON_FIELDS,
				action: 'generate',
				prompt: textOfLength(5000),
				negative_prompt: textOfLength(2048),
				duration: 15,
				resolution: '1080p',
				aspect_ratio: '21:9',
				seed: 2147483647,
				watermark: true,
				generate_audio: true,
				motion_mode: 'normal',
				generate_multi_clip_switch: true,
			},
		],
		['one image', V6, { image_urls: [PHOTO], generate_multi_clip_switch: true }],
		[
			'first and last frame',
			V6,
			{ ...FRAMES, duration: 8, seed: 0, watermark: true, generate_audio: true },
		],
		[
			'seven images in one fusion',
			V6,
			{ img_references: photos(7), aspect_ratio: '2:3', duration: 1 },
		],
		...[1, 7, 15].map((duration): ValidationCase => [`${duration} seconds`, V6, { duration }]),
		...['360p', '540p', '720p', '1080p'].map((resolution): ValidationCase => [
			resolution,
			V6,
			{ resolution },
		]),
		...['16:9', '4:3', '1:1', '3:4', '9:16', '2:3', '3:2', '21:9'].map((ratio): ValidationCase => [
			`the shape ${ratio}`,
			V6,
			{ aspect_ratio: ratio },
		]),
	]);
	refusesAll([
		['no prompt', V6, { prompt: undefined }, 'prompt'],
		['5001 characters of prompt', V6, { prompt: textOfLength(5001) }, 'prompt'],
		[
			'2049 characters of negative prompt',
			V6,
			{ negative_prompt: textOfLength(2049) },
			'negative_prompt',
		],
		...[0, 16, 2.5].map((duration): ValidationFieldCase => [
			`${duration} seconds`,
			V6,
			{ duration },
			'duration',
		]),
		['480p', V6, { resolution: '480p' }, 'resolution'],
		['4K', V6, { resolution: '4K' }, 'resolution'],
		['the shape 9:21', V6, { aspect_ratio: '9:21' }, 'aspect_ratio'],
		['the shape auto', V6, { aspect_ratio: 'auto' }, 'aspect_ratio'],
		['the seed -1', V6, { seed: -1 }, 'seed'],
		['the seed 2147483648', V6, { seed: 2147483648 }, 'seed'],
		['another motion than normal', V6, { motion_mode: 'fast' }, 'motion_mode'],
		['an empty list of references', V6, { img_references: [] }, 'img_references'],
		['eight references', V6, { img_references: photos(8) }, 'img_references'],
		['a number of videos', V6, { n: 1 }, 'n'],
		['audio under the name it has on clipk', V6, { audio: true }, 'audio'],
		['the action image2video', V6, { action: 'image2video', image_urls: [PHOTO] }, 'action'],
		['a data URI', V6, { image_urls: ['data:image/png;base64,iVBOR'] }, 'image_urls'],
		[
			'base64 among the references',
			V6,
			{ img_references: ['iVBORw0KGgo'.repeat(20)] },
			'img_references',
		],
		['an asset', V6, { ...FRAMES, last_frame_image: 'asset://ast_01' }, 'last_frame_image'],
	]);
});

describe('first and last frame of pxv-v6', () => {
	refusesAll([
		['a first frame alone', V6, { first_frame_image: PHOTO }, 'last_frame_image'],
		['a last frame alone', V6, { last_frame_image: PHOTO }, 'first_frame_image'],
		...[4, 6, 7, 9, 15].map((duration): ValidationFieldCase => [
			`${duration} seconds between two frames`,
			V6,
			{ ...FRAMES, duration },
			'duration',
		]),
	]);
	acceptsAll([
		['5 seconds between two frames', V6, { ...FRAMES, duration: 5 }],
		['two frames without a duration', V6, FRAMES],
		['7 seconds from an image', V6, { image_urls: [PHOTO], duration: 7 }],
	]);
});

describe('pxv-v6 under extend', () => {
	acceptsAll([
		['a reference task and a prompt', V6, EXTEND],
		[
			'everything that goes with a reference task',
			V6,
			{
				...COMMON_FIELDS,
				...EXTEND,
				prompt: textOfLength(5000),
				negative_prompt: 'rain',
				duration: 15,
				resolution: '360p',
				seed: 7,
				watermark: true,
				generate_audio: true,
				motion_mode: 'normal',
			},
		],
	]);
	refusesAll([
		['extend without a reference task', V6, { action: 'extend' }, 'ref_task_id'],
		[
			'extend with an empty reference task',
			V6,
			{ action: 'extend', ref_task_id: '' },
			'ref_task_id',
		],
		['extend without a prompt', V6, { ...EXTEND, prompt: undefined }, 'prompt'],
		['extend with an image', V6, { ...EXTEND, image_urls: [PHOTO] }, 'image_urls'],
		['extend with references', V6, { ...EXTEND, img_references: [PHOTO] }, 'img_references'],
		['a reference task that is a number', V6, { action: 'extend', ref_task_id: 5 }, 'ref_task_id'],
	]);
	it('refuses extend between two frames, and names both', () => {
		const { issues } = validateBody(V6, { ...EXTEND, ...FRAMES });
		expect(issues.map(({ field }) => field)).toEqual(['first_frame_image', 'last_frame_image']);
	});
});

describe('what pxv-v6 accepts and ignores', () => {
	const shaped = { aspect_ratio: '1:1' };
	const cut = { generate_multi_clip_switch: true };
	warnsAbout([
		['a second image', V6, { image_urls: photos(2) }, 'image_urls'],
		['a shape beside an image', V6, { ...shaped, image_urls: [PHOTO] }, 'aspect_ratio'],
		['a shape between two frames', V6, { ...shaped, ...FRAMES }, 'aspect_ratio'],
		['a shape under extend', V6, { ...shaped, ...EXTEND }, 'aspect_ratio'],
		['several clips between two frames', V6, { ...cut, ...FRAMES }, 'generate_multi_clip_switch'],
		[
			'several clips of a fusion',
			V6,
			{ ...cut, img_references: [PHOTO] },
			'generate_multi_clip_switch',
		],
		['several clips under extend', V6, { ...cut, ...EXTEND }, 'generate_multi_clip_switch'],
	]);
	acceptsAll([
		['a switch that is off under extend', V6, { ...EXTEND, generate_multi_clip_switch: false }],
	]);
});
