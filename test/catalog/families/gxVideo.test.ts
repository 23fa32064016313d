import {
	acceptsAll,
	warnsAbout,
	COMMON_FIELDS,
	PHOTO,
	photos,
	refusesAll,
	type ValidationCase,
	type ValidationFieldCase,
} from '../../support/validation';

const GX = 'gx-imagine-1.0-video';
const MOVING = { action: 'image2video', image_urls: [PHOTO] };

describe('gx-imagine-1.0-video', () => {
	acceptsAll([
		['a bare prompt', GX, {}],
		[
			'everything that goes with text',
			GX,
			{
				...COMMON_FIELDS,
				action: 'generate',
				aspect_ratio: '2:3',
				resolution: '720p',
				duration: 30,
			},
		],
		[
			'everything that goes with images',
			GX,
			{ ...COMMON_FIELDS, ...MOVING, image_urls: photos(7), resolution: '720p', duration: 30 },
		],
		['an image under generate, which triggers image to video', GX, { image_urls: [PHOTO] }],
		...['16:9', '9:16', '1:1', '3:2', '2:3'].map((ratio): ValidationCase => [
			`the shape ${ratio}`,
			GX,
			{ aspect_ratio: ratio },
		]),
		...['480p', '720p'].map((resolution): ValidationCase => [resolution, GX, { resolution }]),
		...[6, 17, 30].map((duration): ValidationCase => [`${duration} seconds`, GX, { duration }]),
	]);
	refusesAll([
		['no prompt', GX, { prompt: undefined }, 'prompt'],
		['no prompt beside an image', GX, { ...MOVING, prompt: '' }, 'prompt'],
		...[5, 31, 6.5].map((duration): ValidationFieldCase => [
			`${duration} seconds`,
			GX,
			{ duration },
			'duration',
		]),
		['1080p', GX, { resolution: '1080p' }, 'resolution'],
		['the shape 4:3', GX, { aspect_ratio: '4:3' }, 'aspect_ratio'],
		['eight images', GX, { ...MOVING, image_urls: photos(8) }, 'image_urls'],
		['image2video without images', GX, { action: 'image2video' }, 'image_urls'],
		['the action reference', GX, { ...MOVING, action: 'reference' }, 'action'],
		['a data URI', GX, { ...MOVING, image_urls: ['data:image/png;base64,iVBOR'] }, 'image_urls'],
		['an asset', GX, { ...MOVING, image_urls: ['asset://ast_01'] }, 'image_urls'],
		['a seed', GX, { seed: 1 }, 'seed'],
		['number of images', GX, { n: 1 }, 'n'],
		['audio', GX, { audio: true }, 'audio'],
		['a first frame', GX, { first_frame_image: PHOTO }, 'first_frame_image'],
	]);
	warnsAbout([
		['a shape under image2video', GX, { ...MOVING, aspect_ratio: '1:1' }, 'aspect_ratio'],
		[
			'a shape beside an image under generate',
			GX,
			{ image_urls: [PHOTO], aspect_ratio: '1:1' },
			'aspect_ratio',
		],
	]);
});
