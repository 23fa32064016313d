import {
	acceptsAll,
	warnsAbout,
	COMMON_FIELDS,
	textOfLength,
	PHOTO,
	photos,
	refusesAll,
	type ValidationCase,
	type ValidationFieldCase,
} from '../../support/validation';

describe('imgn-4.0', () => {
	const IMGN = 'imgn-4.0';
	acceptsAll([
		['a bare prompt', IMGN, {}],
		[
			'everything at once',
			IMGN,
			{ ...COMMON_FIELDS, action: 'generate', n: 4, seed: -1, aspect_ratio: '9:16' },
		],
		...['1:1', '4:3', '3:4', '16:9', '9:16'].map((ratio): ValidationCase => [
			`the shape ${ratio}`,
			IMGN,
			{ aspect_ratio: ratio },
		]),
	]);
	refusesAll([
		['no prompt', IMGN, { prompt: undefined }, 'prompt'],
		['no image at all', IMGN, { n: 0 }, 'n'],
		['a seed in words', IMGN, { seed: 'random' }, 'seed'],
		['the shape 3:2', IMGN, { aspect_ratio: '3:2' }, 'aspect_ratio'],
		['the action edit', IMGN, { action: 'edit' }, 'action'],
		['an image', IMGN, { image_urls: [PHOTO] }, 'image_urls'],
		['a negative prompt', IMGN, { negative_prompt: 'rain' }, 'negative_prompt'],
	]);
	warnsAbout([['a resolution, which has no tiers', IMGN, { resolution: '2K' }, 'resolution']]);
});

describe('gp-4o-image', () => {
	const LEGACY = 'gp-4o-image';
	acceptsAll([
		['a bare prompt', LEGACY, {}],
		[
			'everything at once',
			LEGACY,
			{
				...COMMON_FIELDS,
				prompt: textOfLength(1000),
				size: '2:3',
				n: 4,
				image_urls: photos(5),
				mask_url: PHOTO,
			},
		],
		...['1:1', '2:3', '3:2'].map((size): ValidationCase => [`the size ${size}`, LEGACY, { size }]),
		...[1, 2, 4].map((n): ValidationCase => [`${n} images`, LEGACY, { n }]),
	]);
	refusesAll([
		['no prompt', LEGACY, { prompt: undefined }, 'prompt'],
		['1001 characters of prompt', LEGACY, { prompt: textOfLength(1001) }, 'prompt'],
		['the size 16:9', LEGACY, { size: '16:9' }, 'size'],
		...[0, 3, 5].map((n): ValidationFieldCase => [`${n} images`, LEGACY, { n }, 'n']),
		['a number of images that is text', LEGACY, { n: '2' }, 'n'],
		['six reference images', LEGACY, { image_urls: photos(6) }, 'image_urls'],
		['a mask in a list', LEGACY, { mask_url: [PHOTO] }, 'mask_url'],
		['a data URI as mask', LEGACY, { mask_url: 'data:image/png;base64,iVBOR' }, 'mask_url'],
		['a resolution', LEGACY, { resolution: '1K' }, 'resolution'],
		['a shape under the name it has elsewhere', LEGACY, { aspect_ratio: '1:1' }, 'aspect_ratio'],
		['another action than generate', LEGACY, { action: 'edit' }, 'action'],
	]);
});
