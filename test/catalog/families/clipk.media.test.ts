import {
	acceptsAll,
	warnsAbout,
	CLIP,
	PHOTO,
	photos,
	refusesAll,
	type ValidationCase,
	type ValidationFieldCase,
} from '../../support/validation';

const FRAMES = { first_frame_image: PHOTO, last_frame_image: PHOTO };
const MULTIMODAL = ['clipk-video-o1', 'clipk-v3-omni'];
const ALL = [...MULTIMODAL, 'clipk-v3', 'clipk-v2.6'];
const video = (item: object) => ({ action: 'reference_video', video_list: [item] });

describe('the reference video of clipk-v3-omni and clipk-video-o1', () => {
	acceptsAll(
		MULTIMODAL.flatMap((model): ValidationCase[] => [
			[`a clip alone on ${model}`, model, video({ video_url: CLIP })],
			[
				`a clip as base with its sound on ${model}`,
				model,
				video({ video_url: CLIP, refer_type: 'base', keep_original_sound: 'yes' }),
			],
			[
				`a clip as feature without its sound on ${model}`,
				model,
				video({ video_url: CLIP, refer_type: 'feature', keep_original_sound: 'no' }),
			],
			[`the short form on ${model}`, model, { action: 'reference_video', video_urls: [CLIP] }],
			[
				`images beside the clip on ${model}`,
				model,
				{ ...video({ video_url: CLIP }), image_urls: photos(2), prompt: '<<<image_2>>> dances' },
			],
		]),
	);
	refusesAll(
		MULTIMODAL.flatMap((model): ValidationFieldCase[] => [
			[
				`two clips on ${model}`,
				model,
				{ action: 'reference_video', video_list: [{ video_url: CLIP }, { video_url: CLIP }] },
				'video_list',
			],
			[
				`two clips in the short form on ${model}`,
				model,
				{ action: 'reference_video', video_urls: [CLIP, CLIP] },
				'video_urls',
			],
			[
				`a clip in both forms on ${model}`,
				model,
				{ ...video({ video_url: CLIP }), video_urls: [CLIP] },
				'video_urls',
			],
			[`a clip without a link on ${model}`, model, video({ refer_type: 'base' }), 'video_list'],
			[
				`a clip as style on ${model}`,
				model,
				video({ video_url: CLIP, refer_type: 'style' }),
				'video_list',
			],
			[
				`true for yes on ${model}`,
				model,
				video({ video_url: CLIP, keep_original_sound: true }),
				'video_list',
			],
			[
				`a key that an item does not have on ${model}`,
				model,
				video({ video_url: CLIP, sound: 'no' }),
				'video_list',
			],
			[`an asset as clip on ${model}`, model, video({ video_url: 'asset://ast_01' }), 'video_list'],
			[
				`one item that is not in a list on ${model}`,
				model,
				{ action: 'reference_video', video_list: { video_url: CLIP } },
				'video_list',
			],
		]),
	);
});

describe('audio on clipk', () => {
	refusesAll([
		[
			'audio beside a video list on clipk-v3-omni',
			'clipk-v3-omni',
			{ ...video({ video_url: CLIP }), audio: true },
			'audio',
		],
		[
			'audio beside a video list without an action on clipk-v3-omni',
			'clipk-v3-omni',
			{ video_list: [{ video_url: CLIP }], audio: true },
			'audio',
		],
		[
			'audio beside the short form on clipk-v3-omni',
			'clipk-v3-omni',
			{ video_urls: [CLIP], audio: true },
			'audio',
		],
		[
			'audio with first_last_frame on clipk-v2.6',
			'clipk-v2.6',
			{ ...FRAMES, action: 'first_last_frame', resolution: '1080p', audio: true },
			'audio',
		],
	]);
	acceptsAll([
		[
			'silence beside a video list on clipk-v3-omni',
			'clipk-v3-omni',
			{ ...video({ video_url: CLIP }), audio: false },
		],
		[
			'silence with first_last_frame on clipk-v2.6',
			'clipk-v2.6',
			{ ...FRAMES, action: 'first_last_frame', audio: false },
		],
		[
			'audio with first_last_frame on clipk-v3',
			'clipk-v3',
			{ ...FRAMES, action: 'first_last_frame', audio: true },
		],
		['audio at 1080p on clipk-v2.6', 'clipk-v2.6', { resolution: '1080p', audio: true }],
	]);
	warnsAbout([
		['audio at 720p on clipk-v2.6', 'clipk-v2.6', { resolution: '720p', audio: true }, 'audio'],
		['audio at the default resolution on clipk-v2.6', 'clipk-v2.6', { audio: true }, 'audio'],
	]);
});

describe('what clipk accepts and ignores', () => {
	const shaped = { aspect_ratio: '1:1' };
	warnsAbout([
		...ALL.flatMap((model): ValidationFieldCase[] => [
			[
				`a shape beside an image on ${model}`,
				model,
				{ ...shaped, image_urls: [PHOTO] },
				'aspect_ratio',
			],
			[
				`a shape beside a first frame on ${model}`,
				model,
				{ ...shaped, first_frame_image: PHOTO },
				'aspect_ratio',
			],
			[
				`a shape beside a last frame on ${model}`,
				model,
				{ ...shaped, last_frame_image: PHOTO },
				'aspect_ratio',
			],
			[
				`a shape under image2video on ${model}`,
				model,
				{ ...shaped, action: 'image2video', first_frame_image: PHOTO },
				'aspect_ratio',
			],
		]),
		...MULTIMODAL.flatMap((model): ValidationFieldCase[] => [
			[
				`a shape beside a clip on ${model}`,
				model,
				{ ...shaped, video_list: [{ video_url: CLIP }] },
				'aspect_ratio',
			],
			[
				`a shape beside a clip in the short form on ${model}`,
				model,
				{ ...shaped, video_urls: [CLIP] },
				'aspect_ratio',
			],
		]),
		[
			'a shape between two frames',
			'clipk-v3',
			{ ...shaped, ...FRAMES, action: 'first_last_frame' },
			'aspect_ratio',
		],
		[
			'a shape under reference',
			'clipk-v3-omni',
			{ ...shaped, action: 'reference', image_urls: photos(2) },
			'aspect_ratio',
		],
		[
			'a shape under reference_video',
			'clipk-video-o1',
			{ ...shaped, ...video({ video_url: CLIP }) },
			'aspect_ratio',
		],
		[
			'two images on clipk-v3',
			'clipk-v3',
			{ action: 'image2video', image_urls: photos(2) },
			'image_urls',
		],
		[
			'two images on clipk-v2.6',
			'clipk-v2.6',
			{ action: 'image2video', image_urls: photos(2) },
			'image_urls',
		],
		...MULTIMODAL.flatMap((model): ValidationFieldCase[] => [
			[
				`the citation of a third of two images on ${model}`,
				model,
				{ prompt: '<<<image_3>>>', image_urls: photos(2) },
				'prompt',
			],
			[
				`the citation of an image 0 on ${model}`,
				model,
				{ prompt: '<<<image_0>>>', image_urls: photos(2) },
				'prompt',
			],
			[
				`the citation of an image where none is on ${model}`,
				model,
				{ prompt: '<<<image_1>>>' },
				'prompt',
			],
		]),
	]);
	acceptsAll([
		[
			'the citation of the second of two images',
			'clipk-v3-omni',
			{ prompt: '<<<image_2>>> and <<<image_1>>>', image_urls: photos(2) },
		],
		['a citation as literal text on clipk-v3', 'clipk-v3', { prompt: 'it reads <<<image_9>>>' }],
		[
			'a citation as literal text on clipk-v2.6',
			'clipk-v2.6',
			{ prompt: 'it reads <<<image_9>>>' },
		],
	]);
});

describe('links on clipk', () => {
	const base64 = 'iVBORw0KGgo'.repeat(20);
	refusesAll([
		[
			'a data URI among the images',
			'clipk-v3',
			{ action: 'image2video', image_urls: ['data:image/png;base64,iVBOR'] },
			'image_urls',
		],
		[
			'base64 among the images',
			'clipk-v3',
			{ action: 'image2video', image_urls: [PHOTO, base64] },
			'image_urls',
		],
		[
			'base64 as first frame',
			'clipk-v3',
			{ action: 'image2video', first_frame_image: base64 },
			'first_frame_image',
		],
		[
			'a data URI as last frame',
			'clipk-v3',
			{ ...FRAMES, last_frame_image: 'data:image/png;base64,iVBOR' },
			'last_frame_image',
		],
		[
			'an asset among the images',
			'clipk-v3-omni',
			{ action: 'reference', image_urls: ['asset://ast_01'] },
			'image_urls',
		],
		[
			'an ftp link',
			'clipk-v2.6',
			{ action: 'image2video', image_urls: ['ftp://example.com/a.png'] },
			'image_urls',
		],
		[
			'a path',
			'clipk-v2.6',
			{ action: 'image2video', image_urls: ['/home/me/a.png'] },
			'image_urls',
		],
		['an empty link', 'clipk-v2.6', { action: 'image2video', image_urls: [''] }, 'image_urls'],
		[
			'one link that is not in a list',
			'clipk-v2.6',
			{ action: 'image2video', image_urls: PHOTO },
			'image_urls',
		],
	]);
	acceptsAll([
		['plain http', 'clipk-v3', { action: 'image2video', image_urls: ['http://example.com/a.png'] }],
	]);
});
