import {
	acceptsAll,
	COMMON_FIELDS,
	CLIP,
	textOfLength,
	PHOTO,
	photos,
	refusesAll,
	type ValidationCase,
	type ValidationFieldCase,
} from '../../support/validation';

const FRAMES = { first_frame_image: PHOTO, last_frame_image: PHOTO };
const ALL = ['clipk-video-o1', 'clipk-v3-omni', 'clipk-v3', 'clipk-v2.6'];
const clip = (more = {}) => [{ video_url: CLIP, ...more }];

describe('what every clipk model takes', () => {
	acceptsAll(ALL.map((model): ValidationCase => [`a bare prompt on ${model}`, model, {}]));
	acceptsAll([
		[
			'everything at once on clipk-v3',
			'clipk-v3',
			{
				...COMMON_FIELDS,
				action: 'generate',
				prompt: textOfLength(2500),
				aspect_ratio: '1:1',
				resolution: '4K',
				duration: 15,
				audio: true,
				watermark: true,
			},
		],
		[
			'everything at once on clipk-v3 between two frames',
			'clipk-v3',
			{
				...COMMON_FIELDS,
				...FRAMES,
				action: 'first_last_frame',
				prompt: textOfLength(2500),
				resolution: '4K',
				duration: 15,
				audio: true,
				watermark: true,
			},
		],
		[
			'everything at once on clipk-v3-omni',
			'clipk-v3-omni',
			{
				...COMMON_FIELDS,
				action: 'reference_video',
				prompt: `<<<image_7>>>${textOfLength(2487)}`,
				resolution: '1080p',
				duration: 15,
				image_urls: photos(7),
				video_list: clip({ refer_type: 'base', keep_original_sound: 'yes' }),
				watermark: true,
			},
		],
		[
			'everything at once on clipk-video-o1',
			'clipk-video-o1',
			{
				...COMMON_FIELDS,
				...FRAMES,
				action: 'reference_video',
				prompt: textOfLength(2500),
				resolution: '1080p',
				duration: 10,
				image_urls: photos(9),
				video_list: clip({ refer_type: 'feature', keep_original_sound: 'no' }),
			},
		],
		[
			'everything at once on clipk-v2.6',
			'clipk-v2.6',
			{
				...COMMON_FIELDS,
				prompt: textOfLength(2500),
				aspect_ratio: '9:16',
				resolution: '1080p',
				duration: 10,
				audio: true,
				watermark: true,
			},
		],
	]);
	refusesAll(
		ALL.flatMap((model): ValidationFieldCase[] => [
			[`no prompt on ${model}`, model, { prompt: undefined }, 'prompt'],
			[`an empty prompt on ${model}`, model, { prompt: '' }, 'prompt'],
			[`a blank prompt on ${model}`, model, { prompt: ' \n' }, 'prompt'],
			[`2501 characters of prompt on ${model}`, model, { prompt: textOfLength(2501) }, 'prompt'],
			[`number of images on ${model}`, model, { n: 1 }, 'n'],
			[`a seed on ${model}`, model, { seed: 1 }, 'seed'],
			[`a negative prompt on ${model}`, model, { negative_prompt: 'rain' }, 'negative_prompt'],
			[`540p on ${model}`, model, { resolution: '540p' }, 'resolution'],
			[`4k in small letters on ${model}`, model, { resolution: '4k' }, 'resolution'],
			[`the shape 4:3 on ${model}`, model, { aspect_ratio: '4:3' }, 'aspect_ratio'],
			[`the shape auto on ${model}`, model, { aspect_ratio: 'auto' }, 'aspect_ratio'],
			[`half seconds on ${model}`, model, { duration: 5.5 }, 'duration'],
			[`the action edit on ${model}`, model, { action: 'edit', image_urls: [PHOTO] }, 'action'],
		]),
	);
	acceptsAll(
		ALL.flatMap((model): ValidationCase[] => [
			...['16:9', '9:16', '1:1'].map((ratio): ValidationCase => [
				`the shape ${ratio} on ${model}`,
				model,
				{ aspect_ratio: ratio },
			]),
			...['720p', '1080p'].map((size): ValidationCase => [
				`${size} on ${model}`,
				model,
				{ resolution: size },
			]),
			[`2500 emoji, each one character, on ${model}`, model, { prompt: '🪁'.repeat(2500) }],
			[
				`one image under generate, which triggers image to video, on ${model}`,
				model,
				{ image_urls: [PHOTO] },
			],
		]),
	);
});

describe('what differs between the clipk models', () => {
	acceptsAll([
		['4K on clipk-v3', 'clipk-v3', { resolution: '4K' }],
		['4K on clipk-v3-omni', 'clipk-v3-omni', { resolution: '4K' }],
		...['clipk-v3', 'clipk-v3-omni'].flatMap((model) =>
			[3, 5, 15].map((duration): ValidationCase => [
				`${duration} seconds on ${model}`,
				model,
				{ duration },
			]),
		),
		...['clipk-v2.6', 'clipk-video-o1'].flatMap((model) =>
			[5, 10].map((duration): ValidationCase => [
				`${duration} seconds on ${model}`,
				model,
				{ duration },
			]),
		),
		...['clipk-v3', 'clipk-v3-omni', 'clipk-v2.6'].map((model): ValidationCase => [
			`silence and a watermark on ${model}`,
			model,
			{ audio: false, watermark: true },
		]),
		['7 images on clipk-v3-omni', 'clipk-v3-omni', { action: 'reference', image_urls: photos(7) }],
		[
			'8 images on clipk-video-o1, which states no limit',
			'clipk-video-o1',
			{ action: 'reference', image_urls: photos(8) },
		],
	]);
	refusesAll([
		['4K on clipk-v2.6', 'clipk-v2.6', { resolution: '4K' }, 'resolution'],
		['4K on clipk-video-o1', 'clipk-video-o1', { resolution: '4K' }, 'resolution'],
		...['clipk-v3', 'clipk-v3-omni'].flatMap((model) =>
			[2, 16].map((duration): ValidationFieldCase => [
				`${duration} seconds on ${model}`,
				model,
				{ duration },
				'duration',
			]),
		),
		...['clipk-v2.6', 'clipk-video-o1'].flatMap((model) =>
			[4, 6, 9, 15].map((duration): ValidationFieldCase => [
				`${duration} seconds on ${model}`,
				model,
				{ duration },
				'duration',
			]),
		),
		[
			'8 images on clipk-v3-omni',
			'clipk-v3-omni',
			{ action: 'reference', image_urls: photos(8) },
			'image_urls',
		],
		['audio on clipk-video-o1', 'clipk-video-o1', { audio: true }, 'audio'],
		['even audio that is off on clipk-video-o1', 'clipk-video-o1', { audio: false }, 'audio'],
		['a watermark on clipk-video-o1', 'clipk-video-o1', { watermark: false }, 'watermark'],
		...['clipk-v3', 'clipk-v2.6'].flatMap((model): ValidationFieldCase[] => [
			[`a video list on ${model}`, model, { video_list: clip() }, 'video_list'],
			[`video links on ${model}`, model, { video_urls: [CLIP] }, 'video_urls'],
		]),
	]);
});

describe('the actions of clipk', () => {
	const IMAGE = { image_urls: [PHOTO] };
	const withMedia: Record<string, object> = {
		generate: {},
		image2video: IMAGE,
		first_last_frame: FRAMES,
		reference: IMAGE,
		reference_video: { video_list: clip() },
	};
	const taken: Record<string, string[]> = {
		'clipk-video-o1': [
			'generate',
			'image2video',
			'first_last_frame',
			'reference',
			'reference_video',
		],
		'clipk-v3-omni': ['generate', 'image2video', 'reference', 'reference_video'],
		'clipk-v3': ['generate', 'image2video', 'first_last_frame'],
		'clipk-v2.6': ['generate', 'image2video', 'first_last_frame'],
	};
	for (const [model, actions] of Object.entries(taken)) {
		acceptsAll(
			actions.map((action): ValidationCase => [
				`${action} on ${model}`,
				model,
				{ action, ...withMedia[action] },
			]),
		);
		acceptsAll([
			[
				`image2video from a first frame on ${model}`,
				model,
				{ action: 'image2video', first_frame_image: PHOTO },
			],
		]);
		refusesAll([
			[
				`image2video without an image on ${model}`,
				model,
				{ action: 'image2video' },
				'first_frame_image',
			],
		]);
	}
	refusesAll([
		[
			'first_last_frame on clipk-v3-omni',
			'clipk-v3-omni',
			{ action: 'first_last_frame', ...FRAMES },
			'action',
		],
		['reference on clipk-v3', 'clipk-v3', { action: 'reference', ...IMAGE }, 'action'],
		['reference on clipk-v2.6', 'clipk-v2.6', { action: 'reference', ...IMAGE }, 'action'],
		['reference_video on clipk-v3', 'clipk-v3', { action: 'reference_video' }, 'action'],
		['reference_video on clipk-v2.6', 'clipk-v2.6', { action: 'reference_video' }, 'action'],
		...['clipk-video-o1', 'clipk-v3', 'clipk-v2.6'].flatMap((model): ValidationFieldCase[] => [
			[
				`first_last_frame without the last frame on ${model}`,
				model,
				{ action: 'first_last_frame', first_frame_image: PHOTO },
				'last_frame_image',
			],
			[
				`first_last_frame without the first frame on ${model}`,
				model,
				{ action: 'first_last_frame', last_frame_image: PHOTO },
				'first_frame_image',
			],
		]),
		...['clipk-video-o1', 'clipk-v3-omni'].flatMap((model): ValidationFieldCase[] => [
			[
				`reference without images on ${model}`,
				model,
				{ action: 'reference', image_urls: [] },
				'image_urls',
			],
			[
				`reference_video without a video on ${model}`,
				model,
				{ action: 'reference_video' },
				'video_list',
			],
		]),
	]);
});
