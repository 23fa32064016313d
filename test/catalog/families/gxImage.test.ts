import {
	acceptsAll,
	warnsAbout,
	validateBody,
	COMMON_FIELDS,
	PHOTO,
	photos,
	refusesAll,
	type ValidationCase,
	type ValidationFieldCase,
} from '../../support/validation';

const SET_OF_14 = [
	'auto',
	'1:1',
	'3:4',
	'4:3',
	'9:16',
	'16:9',
	'2:3',
	'3:2',
	'9:19.5',
	'19.5:9',
	'9:20',
	'20:9',
	'1:2',
	'2:1',
];
const SET_OF_7 = ['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9'];
const SET_OF_5 = ['1:1', '16:9', '9:16', '3:2', '2:3'];
const OFFICIAL = ['gx-imagine-image', 'gx-imagine-image-quality', 'gx-imagine-image-2.0'];
const REV = ['gx-imagine-image-2.0-rev', 'gx-imagine-1.5-rev', 'gx-imagine-1.5-edit-rev'];
const EDITING = [...OFFICIAL, 'gx-imagine-1.5-edit-rev'];
const edit = (count: number) => ({ action: 'edit', image_urls: photos(count) });

describe('what every gx-imagine image model takes', () => {
	const all = [...OFFICIAL, ...REV];
	acceptsAll(all.map((model): ValidationCase => [`a bare prompt on ${model}`, model, {}]));
	acceptsAll([
		[
			'everything at once on gx-imagine-image',
			'gx-imagine-image',
			{ ...COMMON_FIELDS, ...edit(5), n: 1, aspect_ratio: '9:19.5', resolution: '2k' },
		],
		[
			'everything at once on gx-imagine-image-quality',
			'gx-imagine-image-quality',
			{ ...COMMON_FIELDS, ...edit(3), n: 10, aspect_ratio: '20:9', resolution: '2k' },
		],
		[
			'everything at once under generate on gx-imagine-image-2.0',
			'gx-imagine-image-2.0',
			{
				...COMMON_FIELDS,
				action: 'generate',
				n: 10,
				aspect_ratio: '2:1',
				resolution: '2k',
				quality: 'medium',
			},
		],
		[
			'everything at once under edit on gx-imagine-image-2.0',
			'gx-imagine-image-2.0',
			{ ...COMMON_FIELDS, ...edit(3), n: 10, aspect_ratio: 'auto', resolution: '1k' },
		],
		[
			'everything at once on gx-imagine-image-2.0-rev',
			'gx-imagine-image-2.0-rev',
			{ ...COMMON_FIELDS, action: 'generate', n: 12, aspect_ratio: '4:3' },
		],
		[
			'everything at once on gx-imagine-1.5-rev',
			'gx-imagine-1.5-rev',
			{ ...COMMON_FIELDS, action: 'generate', image_urls: photos(5), n: 10, aspect_ratio: '3:2' },
		],
		[
			'everything at once on gx-imagine-1.5-edit-rev',
			'gx-imagine-1.5-edit-rev',
			{ ...COMMON_FIELDS, ...edit(5), n: 10 },
		],
	]);
	refusesAll(
		all.flatMap((model): ValidationFieldCase[] => [
			[`no prompt on ${model}`, model, { prompt: undefined }, 'prompt'],
			[`a seed on ${model}`, model, { seed: 1 }, 'seed'],
			[`a mask on ${model}`, model, { mask_url: PHOTO }, 'mask_url'],
			[`no image at all on ${model}`, model, { n: 0 }, 'n'],
			[`the action reference on ${model}`, model, { action: 'reference' }, 'action'],
		]),
	);
});

describe('the number of images of gx-imagine', () => {
	const tens = [...OFFICIAL, 'gx-imagine-1.5-rev', 'gx-imagine-1.5-edit-rev'];
	acceptsAll([
		...tens.flatMap((model) =>
			[1, 10].map((n): ValidationCase => [`${n} images on ${model}`, model, { n }]),
		),
		...[1, 12].map((n): ValidationCase => [
			`${n} images on gx-imagine-image-2.0-rev`,
			'gx-imagine-image-2.0-rev',
			{ n },
		]),
		['10 edited images on gx-imagine-image-2.0', 'gx-imagine-image-2.0', { ...edit(1), n: 10 }],
	]);
	refusesAll([
		...tens.map((model): ValidationFieldCase => [`11 images on ${model}`, model, { n: 11 }, 'n']),
		['13 images on gx-imagine-image-2.0-rev', 'gx-imagine-image-2.0-rev', { n: 13 }, 'n'],
	]);
	warnsAbout([
		[
			'two edited images on gx-imagine-image, which returns one',
			'gx-imagine-image',
			{ ...edit(1), n: 2 },
			'n',
		],
	]);
});

describe('the shapes of gx-imagine', () => {
	const shapes = (model: string, ratios: string[]) =>
		ratios.map((ratio): ValidationCase => [
			`the shape ${ratio} on ${model}`,
			model,
			{ aspect_ratio: ratio },
		]);
	acceptsAll([
		...OFFICIAL.flatMap((model) => shapes(model, SET_OF_14)),
		...shapes('gx-imagine-image-2.0-rev', SET_OF_7),
		...shapes('gx-imagine-1.5-rev', SET_OF_5),
	]);
	refusesAll([
		...OFFICIAL.map((model): ValidationFieldCase => [
			`the shape 21:9 on ${model}`,
			model,
			{ aspect_ratio: '21:9' },
			'aspect_ratio',
		]),
		...['auto', '2:1', '9:20'].map((ratio): ValidationFieldCase => [
			`the shape ${ratio} on gx-imagine-image-2.0-rev`,
			'gx-imagine-image-2.0-rev',
			{ aspect_ratio: ratio },
			'aspect_ratio',
		]),
		...['auto', '3:4', '4:3'].map((ratio): ValidationFieldCase => [
			`the shape ${ratio} on gx-imagine-1.5-rev`,
			'gx-imagine-1.5-rev',
			{ aspect_ratio: ratio },
			'aspect_ratio',
		]),
		[
			'any shape on gx-imagine-1.5-edit-rev',
			'gx-imagine-1.5-edit-rev',
			{ aspect_ratio: '1:1' },
			'aspect_ratio',
		],
	]);
});

describe('resolution and quality of gx-imagine', () => {
	acceptsAll([
		...OFFICIAL.flatMap((model) =>
			['1k', '2k'].map((size): ValidationCase => [
				`${size} on ${model}`,
				model,
				{ resolution: size },
			]),
		),
		...['low', 'medium'].map((quality): ValidationCase => [
			`${quality} quality on gx-imagine-image-2.0`,
			'gx-imagine-image-2.0',
			{ quality },
		]),
	]);
	warnsAbout(
		OFFICIAL.map((model): ValidationFieldCase => [
			`4k on ${model}, billed at the fallback price of 1k`,
			model,
			{ resolution: '4k' },
			'resolution',
		]),
	);
	refusesAll([
		...OFFICIAL.map((model): ValidationFieldCase => [
			`a resolution that is a number on ${model}`,
			model,
			{ resolution: 2 },
			'resolution',
		]),
		...REV.flatMap((model): ValidationFieldCase[] => [
			[`a resolution on ${model}`, model, { resolution: '1k' }, 'resolution'],
			[`a quality on ${model}`, model, { quality: 'low' }, 'quality'],
		]),
		['a quality on gx-imagine-image', 'gx-imagine-image', { quality: 'low' }, 'quality'],
		[
			'a quality on gx-imagine-image-quality',
			'gx-imagine-image-quality',
			{ quality: 'low' },
			'quality',
		],
		[
			'high quality on gx-imagine-image-2.0',
			'gx-imagine-image-2.0',
			{ quality: 'high' },
			'quality',
		],
		[
			'quality under edit on gx-imagine-image-2.0',
			'gx-imagine-image-2.0',
			{ ...edit(1), quality: 'low' },
			'quality',
		],
	]);
	it('refuses quality with references under generate, and both are named', () => {
		const { issues } = validateBody('gx-imagine-image-2.0', {
			image_urls: [PHOTO],
			quality: 'low',
		});
		expect(issues.map(({ field }) => field)).toEqual(['image_urls', 'quality']);
	});
});

describe('the reference images of gx-imagine', () => {
	const most: Record<string, number> = {
		'gx-imagine-image': 5,
		'gx-imagine-image-quality': 3,
		'gx-imagine-image-2.0': 3,
		'gx-imagine-1.5-edit-rev': 5,
	};
	acceptsAll([
		...EDITING.flatMap((model) =>
			[1, most[model]!].map((count): ValidationCase => [
				`${count} references on ${model}`,
				model,
				edit(count),
			]),
		),
		...[1, 5].map((count): ValidationCase => [
			`${count} references under generate on gx-imagine-1.5-rev`,
			'gx-imagine-1.5-rev',
			{ image_urls: photos(count) },
		]),
	]);
	refusesAll([
		...EDITING.flatMap((model): ValidationFieldCase[] => [
			[`${most[model]! + 1} references on ${model}`, model, edit(most[model]! + 1), 'image_urls'],
			[`edit without a reference on ${model}`, model, { action: 'edit' }, 'image_urls'],
			[
				`references under generate on ${model}, where they belong to edit`,
				model,
				{ image_urls: [PHOTO] },
				'image_urls',
			],
			[
				`a data URI on ${model}`,
				model,
				{ action: 'edit', image_urls: ['data:image/png;base64,iVBOR'] },
				'image_urls',
			],
		]),
		[
			'6 references on gx-imagine-1.5-rev',
			'gx-imagine-1.5-rev',
			{ image_urls: photos(6) },
			'image_urls',
		],
		['edit on gx-imagine-1.5-rev', 'gx-imagine-1.5-rev', edit(1), 'action'],
		['edit on gx-imagine-image-2.0-rev', 'gx-imagine-image-2.0-rev', { action: 'edit' }, 'action'],
		[
			'references on gx-imagine-image-2.0-rev',
			'gx-imagine-image-2.0-rev',
			{ image_urls: [PHOTO] },
			'image_urls',
		],
	]);
});
