import {
	acceptsAll,
	warnsAbout,
	validateBody,
	COMMON_FIELDS,
	CLIP,
	PHOTO,
	photos,
	refusesAll,
	type ValidationCase,
	type ValidationFieldCase,
} from '../../support/validation';

const SDN = ['sdn-2.0', 'sdn-2.0-fast', 'sdn-2.0-mini', 'sdn-2.5'];
const ASSET = 'asset://ast_01hzz=:1';
const AUDIO = 'https://example.com/speech.mp3';

describe('the asset-capable models', () => {
	acceptsAll(
		SDN.flatMap((model): ValidationCase[] => [
			[
				`nothing at all on ${model}, of which no required field is stated`,
				model,
				{ prompt: undefined },
			],
			[
				`links and assets mixed on ${model}`,
				model,
				{
					...COMMON_FIELDS,
					image_urls: [PHOTO, ASSET],
					first_frame_image: ASSET,
					last_frame_image: PHOTO,
					video_urls: [ASSET, CLIP],
					audio_urls: [AUDIO, ASSET],
					image_with_roles: [{ url: ASSET, role: 'hero' }, { url: PHOTO }],
				},
			],
			[`an asset as the last frame on ${model}`, model, { last_frame_image: ASSET }],
			[
				`a parameter that the spec does not show on ${model}`,
				model,
				{ camera: { pan: 3 }, duration: '5' },
			],
		]),
	);
	refusesAll(
		SDN.flatMap((model): ValidationFieldCase[] => [
			[
				`a reference that is not of the form asset://<asset_id> on ${model}`,
				model,
				{ image_urls: ['asset:ast_01'] },
				'image_urls',
			],
			[`a reference without an id on ${model}`, model, { video_urls: ['asset://'] }, 'video_urls'],
			[
				`a reference with a path on ${model}`,
				model,
				{ audio_urls: ['asset://ast_01/file'] },
				'audio_urls',
			],
			[
				`such a reference among roles on ${model}`,
				model,
				{ image_with_roles: [{ url: 'asset:/ast_01' }] },
				'image_with_roles',
			],
			[
				`roles that are not a list on ${model}`,
				model,
				{ image_with_roles: { url: ASSET } },
				'image_with_roles',
			],
			[`one link that is not in a list on ${model}`, model, { image_urls: ASSET }, 'image_urls'],
			[`a prompt that is a number on ${model}`, model, { prompt: 5 }, 'prompt'],
		]),
	);
	warnsAbout(
		SDN.map((model): ValidationFieldCase => [
			`an action of an unknown name on ${model}`,
			model,
			{ action: 'lip_sync' },
			'action',
		]),
	);
});

describe('models that the spec names without their fields', () => {
	acceptsAll([
		['a bare prompt on qwn-image-3.0', 'qwn-image-3.0', {}],
		...[1, 6].map((n): ValidationCase => [`${n} images on qwn-image-3.0`, 'qwn-image-3.0', { n }]),
		[
			'common fields on qwn-image-3.0',
			'qwn-image-3.0',
			{
				...COMMON_FIELDS,
				action: 'edit',
				image_urls: photos(2),
				aspect_ratio: '7:5',
				resolution: '3K',
				seed: -1,
			},
		],
		['a bare prompt on gx-imagine-video-1.5-rev', 'gx-imagine-video-1.5-rev', {}],
		[
			'any duration on gx-imagine-video-1.5-rev',
			'gx-imagine-video-1.5-rev',
			{ duration: 300, image_urls: [PHOTO] },
		],
	]);
	refusesAll([
		...[0, 7].map((n): ValidationFieldCase => [
			`${n} images on qwn-image-3.0`,
			'qwn-image-3.0',
			{ n },
			'n',
		]),
		['an asset on qwn-image-3.0', 'qwn-image-3.0', { image_urls: [ASSET] }, 'image_urls'],
		[
			'an asset on gx-imagine-video-1.5-rev',
			'gx-imagine-video-1.5-rev',
			{ image_urls: [ASSET] },
			'image_urls',
		],
	]);
});

describe('an unknown model', () => {
	acceptsAll([
		['nothing at all', 'zz-new-1', { prompt: undefined }],
		[
			'whatever it may take',
			'zz-new-1',
			{
				...COMMON_FIELDS,
				image_urls: [ASSET, 'data:image/png;base64,iVBOR'],
				n: 99,
				aspect_ratio: 'portrait',
				resolution: '9K',
				style: { deep: [1] },
			},
		],
	]);
	refusesAll([
		['a number of images that is text', 'zz-new-1', { n: '2' }, 'n'],
		['a model whose id is a slip away from a known one', 'Clipk_v3', {}, 'model'],
		['a callback that is no link', 'zz-new-1', { callback_url: 'example.com' }, 'callback_url'],
		['an extra that is no object', 'zz-new-1', { extra: [1] }, 'extra'],
	]);
	warnsAbout([
		['an action that section 2.2 does not list', 'zz-new-1', { action: 'dream' }, 'action'],
	]);

	it('knows the actions of both media where nothing says which it creates', () => {
		for (const action of ['image2image', 'search_grounded', 'image2video', 'extend'])
			expect(validateBody('zz-new-1', { action })).toEqual({ issues: [], warnings: [] });
	});
	it.each([
		'generate',
		'edit',
		'upscale',
		'variation',
		'blend',
		'image2image',
		'reference',
		'inpaint',
		'group',
		'interactive_edit',
		'search_grounded',
	])('knows %s as an action of images', (action) => {
		expect(validateBody('zz-new-1', { action }, 'image').warnings).toEqual([]);
	});
	it.each([
		'generate',
		'edit',
		'upscale',
		'variation',
		'blend',
		'image2video',
		'first_last_frame',
		'reference_video',
		'extend',
	])('knows %s as an action of videos', (action) => {
		expect(validateBody('zz-new-1', { action }, 'video').warnings).toEqual([]);
	});
});
