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

const PRO = ['gmn-3-pro-image-preview', 'gmn-3-pro-image-preview-official'];
const FLASH_31 = ['gmn-3.1-flash-image-preview', 'gmn-3.1-flash-image-preview-official'];
const FLASH_25 = ['gmn-2.5-flash-image-preview', 'gmn-2.5-flash-image-preview-official'];
const ALL = [...PRO, ...FLASH_31, ...FLASH_25];
const OFFICIAL = ALL.filter((model) => model.endsWith('-official'));
const STANDARD = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];
const SLIM = ['1:4', '4:1', '1:8', '8:1'];

describe('what every gmn model takes', () => {
	acceptsAll(ALL.map((model): ValidationCase => [`a bare prompt on ${model}`, model, {}]));
	acceptsAll(
		PRO.map((model): ValidationCase => [
			`everything at once on ${model}`,
			model,
			{
				...COMMON_FIELDS,
				action: 'reference',
				image_urls: photos(4),
				n: 4,
				seed: -1,
				aspect_ratio: '21:9',
				resolution: '4K',
				official_fallback: false,
			},
		]),
	);
	acceptsAll(
		FLASH_31.map((model): ValidationCase => [
			`everything at once on ${model}`,
			model,
			{
				...COMMON_FIELDS,
				action: 'search_grounded',
				n: 2,
				seed: 7,
				aspect_ratio: '8:1',
				resolution: '0.5K',
				google_search: true,
				google_image_search: true,
				official_fallback: false,
			},
		]),
	);
	acceptsAll(
		FLASH_25.map((model): ValidationCase => [
			`everything at once on ${model}`,
			model,
			{
				...COMMON_FIELDS,
				action: 'edit',
				image_urls: [PHOTO],
				n: 1,
				seed: 0,
				aspect_ratio: '5:4',
				resolution: '1K',
				official_fallback: false,
			},
		]),
	);
	acceptsAll(
		ALL.flatMap((model) =>
			STANDARD.map((ratio): ValidationCase => [
				`the shape ${ratio} on ${model}`,
				model,
				{ aspect_ratio: ratio },
			]),
		),
	);
	refusesAll(
		ALL.flatMap((model): ValidationFieldCase[] => [
			[`no prompt on ${model}`, model, { prompt: undefined }, 'prompt'],
			[`no image at all on ${model}`, model, { n: 0 }, 'n'],
			[`half a seed on ${model}`, model, { seed: 0.5 }, 'seed'],
			[`the shape auto on ${model}`, model, { aspect_ratio: 'auto' }, 'aspect_ratio'],
			[`8K on ${model}`, model, { resolution: '8K' }, 'resolution'],
			[`1k in small letters on ${model}`, model, { resolution: '1k' }, 'resolution'],
			[`a negative prompt on ${model}`, model, { negative_prompt: 'rain' }, 'negative_prompt'],
			[`a quality on ${model}`, model, { quality: 'low' }, 'quality'],
			[
				`the action inpaint on ${model}`,
				model,
				{ action: 'inpaint', image_urls: [PHOTO] },
				'action',
			],
			[
				`a data URI on ${model}`,
				model,
				{ action: 'edit', image_urls: ['data:image/png;base64,iVBOR'] },
				'image_urls',
			],
			[
				`an asset on ${model}`,
				model,
				{ action: 'edit', image_urls: ['asset://ast_01'] },
				'image_urls',
			],
		]),
	);
});

describe('what belongs to the 3.1 series of gmn alone', () => {
	acceptsAll(
		FLASH_31.flatMap((model): ValidationCase[] => [
			...SLIM.map((ratio): ValidationCase => [
				`the shape ${ratio} on ${model}`,
				model,
				{ aspect_ratio: ratio },
			]),
			[`search_grounded on ${model}`, model, { action: 'search_grounded' }],
			[`a web text search on ${model}`, model, { google_search: true }],
			[`a web image search on ${model}`, model, { google_image_search: true }],
		]),
	);
	refusesAll(
		[...PRO, ...FLASH_25].flatMap((model): ValidationFieldCase[] => [
			...SLIM.map((ratio): ValidationFieldCase => [
				`the shape ${ratio} on ${model}`,
				model,
				{ aspect_ratio: ratio },
				'aspect_ratio',
			]),
			[`search_grounded on ${model}`, model, { action: 'search_grounded' }, 'action'],
			[`a web text search on ${model}`, model, { google_search: true }, 'google_search'],
			[
				`a web image search on ${model}`,
				model,
				{ google_image_search: true },
				'google_image_search',
			],
		]),
	);
});

describe('the resolutions of gmn', () => {
	const taken: [string[], string[], string[]][] = [
		[PRO, ['1K', '2K', '4K'], ['0.5K']],
		[FLASH_31, ['0.5K', '1K', '2K', '4K'], ['3K']],
		[FLASH_25, ['1K'], ['0.5K', '2K', '4K']],
	];
	for (const [models, sizes, others] of taken) {
		acceptsAll(
			models.flatMap((model) =>
				sizes.map((size): ValidationCase => [`${size} on ${model}`, model, { resolution: size }]),
			),
		);
		refusesAll(
			models.flatMap((model) =>
				others.map((size): ValidationFieldCase => [
					`${size} on ${model}`,
					model,
					{ resolution: size },
					'resolution',
				]),
			),
		);
	}
});

describe('the actions of gmn', () => {
	acceptsAll(
		ALL.flatMap((model): ValidationCase[] => [
			[`generate on ${model}`, model, { action: 'generate' }],
			[
				`image2image of one image on ${model}`,
				model,
				{ action: 'image2image', image_urls: [PHOTO] },
			],
			[`edit of one image on ${model}`, model, { action: 'edit', image_urls: [PHOTO] }],
			[`four references on ${model}`, model, { action: 'reference', image_urls: photos(4) }],
		]),
	);
	refusesAll(
		ALL.flatMap((model): ValidationFieldCase[] =>
			['image2image', 'edit', 'reference'].map((action): ValidationFieldCase => [
				`${action} without an image on ${model}`,
				model,
				{ action },
				'image_urls',
			]),
		),
	);
	warnsAbout(
		ALL.flatMap((model): ValidationFieldCase[] => [
			[
				`image2image of two images on ${model}`,
				model,
				{ action: 'image2image', image_urls: photos(2) },
				'image_urls',
			],
			[
				`edit of two images on ${model}`,
				model,
				{ action: 'edit', image_urls: photos(2) },
				'image_urls',
			],
			[
				`five references on ${model}`,
				model,
				{ action: 'reference', image_urls: photos(5) },
				'image_urls',
			],
		]),
	);
});

describe('the official channel of gmn', () => {
	acceptsAll(
		ALL.filter((model) => !OFFICIAL.includes(model)).map((model): ValidationCase => [
			`the official fallback on ${model}`,
			model,
			{ official_fallback: true },
		]),
	);
	warnsAbout(
		OFFICIAL.map((model): ValidationFieldCase => [
			`the official fallback on ${model}, where it has no use`,
			model,
			{ official_fallback: true },
			'official_fallback',
		]),
	);
});
