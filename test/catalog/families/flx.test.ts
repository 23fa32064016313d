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

const FLX_2 = ['flx-2-pro', 'flx-2-max', 'flx-2-flex'];
const CTX = ['flx-ctx-pro', 'flx-ctx-max'];
const ALL = [...FLX_2, ...CTX];
const RATIOS = ['1:1', '4:3', '3:4', '16:9', '9:16', '3:2', '2:3', '21:9', '9:21', 'auto'];
const edit = (count: number) => ({ action: 'edit', image_urls: photos(count) });

describe('what every flx model takes', () => {
	acceptsAll(
		ALL.flatMap((model): ValidationCase[] => [
			[`a bare prompt on ${model}`, model, {}],
			[`edit of one image on ${model}`, model, edit(1)],
			[`one image on ${model}`, model, { n: 1 }],
			[`any seed on ${model}`, model, { seed: -1 }],
			...RATIOS.map((ratio): ValidationCase => [
				`the shape ${ratio} on ${model}`,
				model,
				{ aspect_ratio: ratio },
			]),
			...['jpeg', 'png', 'webp'].map((format): ValidationCase => [
				`${format} from ${model}`,
				model,
				{ output_format: format },
			]),
		]),
	);
	const most = {
		aspect_ratio: '9:21',
		n: 1,
		seed: 7,
		output_format: 'webp',
		prompt_upsampling: true,
	};
	acceptsAll([
		...['flx-2-pro', 'flx-2-max'].map((model): ValidationCase => [
			`everything at once on ${model}`,
			model,
			{ ...COMMON_FIELDS, ...most, ...edit(8), resolution: '4mp', safety_tolerance: 5 },
		]),
		[
			'everything at once on flx-2-flex',
			'flx-2-flex',
			{
				...COMMON_FIELDS,
				...most,
				...edit(8),
				resolution: '1mp',
				safety_tolerance: 0,
				steps: 50,
				guidance: 1.5,
			},
		],
		...CTX.map((model): ValidationCase => [
			`everything at once on ${model}`,
			model,
			{ ...COMMON_FIELDS, ...most, ...edit(4), safety_tolerance: 6 },
		]),
	]);
	refusesAll(
		ALL.flatMap((model): ValidationFieldCase[] => [
			[`no prompt on ${model}`, model, { prompt: undefined }, 'prompt'],
			[`two images on ${model}`, model, { n: 2 }, 'n'],
			[`the shape 4:5 on ${model}`, model, { aspect_ratio: '4:5' }, 'aspect_ratio'],
			[`gif from ${model}`, model, { output_format: 'gif' }, 'output_format'],
			[`jpg for jpeg on ${model}`, model, { output_format: 'jpg' }, 'output_format'],
			[
				`the action reference on ${model}`,
				model,
				{ action: 'reference', image_urls: [PHOTO] },
				'action',
			],
			[`quality on ${model}`, model, { quality: 'low' }, 'quality'],
			[`a negative prompt on ${model}`, model, { negative_prompt: 'rain' }, 'negative_prompt'],
			[`a watermark that is off on ${model}`, model, { watermark: false }, 'watermark'],
			[`a mask on ${model}`, model, { mask_url: PHOTO }, 'mask_url'],
		]),
	);
});

describe('the reference images of flx', () => {
	acceptsAll([
		...FLX_2.map((model): ValidationCase => [`8 references on ${model}`, model, edit(8)]),
		...CTX.map((model): ValidationCase => [`4 references on ${model}`, model, edit(4)]),
		...ALL.map((model): ValidationCase => [
			`generate with an empty list on ${model}`,
			model,
			{ action: 'generate', image_urls: [] },
		]),
	]);
	refusesAll([
		...FLX_2.map((model): ValidationFieldCase => [
			`9 references on ${model}`,
			model,
			edit(9),
			'image_urls',
		]),
		...CTX.map((model): ValidationFieldCase => [
			`5 references on ${model}`,
			model,
			edit(5),
			'image_urls',
		]),
		...ALL.flatMap((model): ValidationFieldCase[] => [
			[`edit without an image on ${model}`, model, { action: 'edit' }, 'image_urls'],
			[
				`edit with an empty list on ${model}`,
				model,
				{ action: 'edit', image_urls: [] },
				'image_urls',
			],
			[
				`an image under generate on ${model}`,
				model,
				{ action: 'generate', image_urls: [PHOTO] },
				'image_urls',
			],
			[`an image without an action on ${model}`, model, { image_urls: [PHOTO] }, 'image_urls'],
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
	]);
});

describe('what differs between the flx models', () => {
	acceptsAll([
		...FLX_2.flatMap((model): ValidationCase[] => [
			...['1mp', '2mp', '3mp', '4mp'].map((size): ValidationCase => [
				`${size} on ${model}`,
				model,
				{ resolution: size },
			]),
			...[0, 5].map((level): ValidationCase => [
				`a safety tolerance of ${level} on ${model}`,
				model,
				{ safety_tolerance: level },
			]),
		]),
		...CTX.flatMap((model): ValidationCase[] =>
			[0, 6].map((level): ValidationCase => [
				`a safety tolerance of ${level} on ${model}`,
				model,
				{ safety_tolerance: level },
			]),
		),
		...[1, 50].map((steps): ValidationCase => [
			`${steps} steps on flx-2-flex`,
			'flx-2-flex',
			{ steps },
		]),
		...[1.5, 5, 7.25, 10].map((guidance): ValidationCase => [
			`a guidance of ${guidance} on flx-2-flex`,
			'flx-2-flex',
			{ guidance },
		]),
	]);
	refusesAll([
		...FLX_2.flatMap((model): ValidationFieldCase[] =>
			[-1, 6, 2.5].map((level): ValidationFieldCase => [
				`a safety tolerance of ${level} on ${model}`,
				model,
				{ safety_tolerance: level },
				'safety_tolerance',
			]),
		),
		...CTX.flatMap((model): ValidationFieldCase[] => [
			...[-1, 7].map((level): ValidationFieldCase => [
				`a safety tolerance of ${level} on ${model}`,
				model,
				{ safety_tolerance: level },
				'safety_tolerance',
			]),
			[
				`a resolution on ${model}, which is always 1 MP`,
				model,
				{ resolution: '1mp' },
				'resolution',
			],
		]),
		...[0, 51, 2.5].map((steps): ValidationFieldCase => [
			`${steps} steps on flx-2-flex`,
			'flx-2-flex',
			{ steps },
			'steps',
		]),
		...[1.4, 10.1].map((guidance): ValidationFieldCase => [
			`a guidance of ${guidance} on flx-2-flex`,
			'flx-2-flex',
			{ guidance },
			'guidance',
		]),
		...['flx-2-pro', 'flx-2-max', ...CTX].flatMap((model): ValidationFieldCase[] => [
			[`steps on ${model}`, model, { steps: 50 }, 'steps'],
			[`guidance on ${model}`, model, { guidance: 5 }, 'guidance'],
		]),
		...FLX_2.map((model): ValidationFieldCase => [
			`a resolution that is a number on ${model}`,
			model,
			{ resolution: 2 },
			'resolution',
		]),
	]);
	warnsAbout(
		FLX_2.map((model): ValidationFieldCase => [
			`8mp on ${model}, billed at the fallback price of 2mp`,
			model,
			{ resolution: '8mp' },
			'resolution',
		]),
	);
});

it('gives the reason for each field that no flx model takes', () => {
	const { issues } = validateBody('flx-2-pro', {
		quality: 'low',
		negative_prompt: 'rain',
		watermark: true,
		mask_url: PHOTO,
	});
	expect(issues.map(({ message }) => message)).toEqual([
		'flx-2-pro does not take Quality. Flx models have no quality setting',
		'flx-2-pro does not take Negative Prompt. Describe in Prompt what the image should show',
		'flx-2-pro does not take Watermark. Flx models have no such setting',
		'flx-2-pro does not take Mask URL. Describe in Prompt which part to change',
	]);
});
