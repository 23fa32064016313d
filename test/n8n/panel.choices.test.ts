import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { listVisible, storedParameters } from '../support/editor';

type Row = [
	models: string[],
	field: string,
	choices: (string | number)[],
	byDefault?: string | number,
	action?: string,
];

const GMN_STANDARD = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];
const PRO = ['gmn-3-pro-image-preview', 'gmn-3-pro-image-preview-official'];
const FLASH_31 = ['gmn-3.1-flash-image-preview', 'gmn-3.1-flash-image-preview-official'];
const FLASH_25 = ['gmn-2.5-flash-image-preview', 'gmn-2.5-flash-image-preview-official'];
const FLX_2 = ['flx-2-pro', 'flx-2-max', 'flx-2-flex'];
const CTX = ['flx-ctx-pro', 'flx-ctx-max'];
const OFFICIAL = ['gx-imagine-image', 'gx-imagine-image-quality', 'gx-imagine-image-2.0'];
const QWN = ['qwn-image-2.0', 'qwn-image-2.0-pro'];
const V3 = ['clipk-v3', 'clipk-v3-omni'];
const SHORT = ['clipk-v2.6', 'clipk-video-o1'];
const to = (first: number, last: number) =>
	Array.from({ length: last - first + 1 }, (_, at) => first + at);

const IMAGE: Row[] = [
	[[...PRO, ...FLASH_25], 'aspect_ratio', GMN_STANDARD, '1:1'],
	[FLASH_31, 'aspect_ratio', [...GMN_STANDARD, '1:4', '4:1', '1:8', '8:1'], '1:1'],
	[PRO, 'resolution', ['1K', '2K', '4K'], '1K'],
	[FLASH_31, 'resolution', ['0.5K', '1K', '2K', '4K'], '1K'],
	[
		[...FLX_2, ...CTX],
		'aspect_ratio',
		['1:1', '4:3', '3:4', '16:9', '9:16', '3:2', '2:3', '21:9', '9:21', 'auto'],
		'1:1',
	],
	[FLX_2, 'resolution', ['1mp', '2mp', '3mp', '4mp'], '2mp'],
	[
		OFFICIAL,
		'aspect_ratio',
		[
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
		],
		'auto',
	],
	[
		['gx-imagine-image-2.0-rev'],
		'aspect_ratio',
		['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9'],
		'1:1',
	],
	[['gx-imagine-1.5-rev'], 'aspect_ratio', ['1:1', '16:9', '9:16', '3:2', '2:3']],
	[OFFICIAL, 'resolution', ['1k', '2k'], '1k'],
	[['gx-imagine-image-2.0'], 'quality', ['low', 'medium']],
	[QWN, 'aspect_ratio', ['1:1', '4:3', '3:4', '16:9', '9:16', '3:2', '2:3'], '1:1'],
	[QWN, 'resolution', ['1K', '2K'], '2K'],
	[['imgn-4.0'], 'aspect_ratio', ['1:1', '4:3', '3:4', '16:9', '9:16'], '1:1'],
	[['gp-4o-image'], 'size', ['1:1', '2:3', '3:2']],
];
const VIDEO: Row[] = [
	[[...V3, ...SHORT], 'aspect_ratio', ['16:9', '9:16', '1:1'], '16:9'],
	[V3, 'resolution', ['720p', '1080p', '4K'], '720p'],
	[SHORT, 'resolution', ['720p', '1080p'], '720p'],
	[V3, 'duration', to(3, 15), 5],
	[SHORT, 'duration', [5, 10], 5],
	[['pxv-v6'], 'aspect_ratio', ['16:9', '4:3', '1:1', '3:4', '9:16', '2:3', '3:2', '21:9']],
	[['pxv-v6'], 'resolution', ['360p', '540p', '720p', '1080p'], '540p'],
	[['pxv-v6'], 'resolution', ['360p', '540p', '720p', '1080p'], '540p', 'extend'],
	[['pxv-v6'], 'duration', to(1, 15)],
	[['gx-imagine-1.0-video'], 'aspect_ratio', ['16:9', '9:16', '1:1', '3:2', '2:3'], '16:9'],
	[['gx-imagine-1.0-video'], 'resolution', ['480p', '720p'], '480p'],
	[['gx-imagine-1.0-video'], 'duration', to(6, 30), 6],
];
const rows = (media: 'image' | 'video', of: Row[]) =>
	of.flatMap(([models, field, choices, byDefault, action = 'generate']) =>
		models.map((model) => ({ media, model, field, choices, byDefault, action })),
	);

const choicesOf = (property: INodeProperties | undefined) =>
	(property?.options as INodePropertyOptions[] | undefined)?.map(({ value }) => value);
const findField = (properties: INodeProperties[], field: string) =>
	properties.find(({ name }) => name === field);

it.each([...rows('image', IMAGE), ...rows('video', VIDEO)])(
	'lists the $field of $model under $action as the spec does, after the default of the model',
	({ media, model, field, choices, byDefault, action }) => {
		const property = findField(listVisible(storedParameters(media, model, { action })).top, field);
		expect(choicesOf(property)).toEqual(['', ...choices]);
		const unit = field === 'duration' ? ' s' : '';
		const names = (property!.options as INodePropertyOptions[]).map(({ name }) => name);
		expect(names).toEqual([
			byDefault === undefined ? 'Model Default' : `Model Default (${byDefault}${unit})`,
			...choices.map((choice) => `${choice}${unit}`),
		]);
	},
);

describe('choices under Additional Fields, where adding the field is the choice', () => {
	it.each([
		[FLX_2, 'output_format', ['jpeg', 'png', 'webp'], 'jpeg'],
		[CTX, 'output_format', ['jpeg', 'png', 'webp'], 'png'],
		[[...FLX_2, ...CTX], 'n', [1], 1],
		[['gp-4o-image'], 'n', [1, 2, 4], 1],
		[FLASH_25, 'resolution', ['1K'], '1K'],
		[['pxv-v6'], 'motion_mode', ['normal'], 'normal'],
	])('%s %s', (models, field, choices, first) => {
		for (const model of models) {
			const property = findField(
				listVisible(
					storedParameters(model === 'pxv-v6' ? 'video' : 'image', model, { action: 'generate' }),
				).more,
				field,
			);
			expect(choicesOf(property)).toEqual(choices);
			expect(property!.default).toBe(first);
		}
	});
});

describe('numbers under Additional Fields', () => {
	it.each<[string, string, object, number]>([
		['flx-2-pro', 'safety_tolerance', { minValue: 0, maxValue: 5, numberPrecision: 0 }, 2],
		['flx-ctx-max', 'safety_tolerance', { minValue: 0, maxValue: 6, numberPrecision: 0 }, 2],
		['flx-2-flex', 'steps', { minValue: 1, maxValue: 50, numberPrecision: 0 }, 50],
		['flx-2-flex', 'guidance', { minValue: 1.5, maxValue: 10, numberPrecision: 2 }, 5],
		['gx-imagine-image', 'n', { minValue: 1, maxValue: 10, numberPrecision: 0 }, 1],
		['gx-imagine-image-2.0-rev', 'n', { minValue: 1, maxValue: 12, numberPrecision: 0 }, 1],
		['qwn-image-3.0', 'n', { minValue: 1, maxValue: 6, numberPrecision: 0 }, 1],
		['qwn-image-2.0', 'seed', { numberPrecision: 0 }, -1],
		['pxv-v6', 'seed', { minValue: 0, maxValue: 2147483647, numberPrecision: 0 }, 0],
	])('%s %s stays in its range and starts at its default', (model, field, typeOptions, first) => {
		const media = model === 'pxv-v6' ? 'video' : 'image';
		const property = findField(
			listVisible(storedParameters(media, model, { action: 'generate' })).more,
			field,
		);
		expect(property).toMatchObject({ type: 'number', default: first });
		expect(property!.typeOptions).toEqual(typeOptions);
	});
});

it('offers the two parts of a Video List entry as choices that may be left to the gateway', () => {
	const list = findField(
		listVisible(storedParameters('video', 'clipk-v3-omni', { action: 'reference_video' })).top,
		'video_list',
	)!;
	const [form] = list.options as { name: string; values: INodeProperties[] }[];
	expect(form!.values.map((part) => [part.name, choicesOf(part)])).toEqual([
		['video_url', undefined],
		['refer_type', ['', 'base', 'feature']],
		['keep_original_sound', ['', 'yes', 'no']],
	]);
});

it('says under each mode what it does and of what it needs one', () => {
	const action = (media: 'image' | 'video', model: string) =>
		Object.fromEntries(
			(
				findField(listVisible(storedParameters(media, model)).all, 'action')!
					.options as INodePropertyOptions[]
			).map(({ name, description }) => [name, description]),
		);
	expect(action('video', 'clipk-v3')).toEqual({
		'Text or Images to Video': undefined,
		'Image to Video': 'Animate an image; requires First Frame Image or Image URLs',
		'First and Last Frame': 'Create the video between two images',
	});
	expect(action('video', 'pxv-v6').Extend).toBe('Continue a video');
	expect(Object.keys(action('image', 'gx-imagine-image'))).toEqual(['Text to Image', 'Edit']);
	expect(action('image', 'zz-new-1').Blend).toBe('Merge several into one');
});
