import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { listVisible, storedParameters } from '../support/editor';

const FLX_2 = ['flx-2-pro', 'flx-2-max', 'flx-2-flex'];
const CTX = ['flx-ctx-pro', 'flx-ctx-max'];
const FLASH_25 = ['gmn-2.5-flash-image-preview', 'gmn-2.5-flash-image-preview-official'];
const to = (first: number, last: number) =>
	Array.from({ length: last - first + 1 }, (_, at) => first + at);

const choicesOf = (property: INodeProperties | undefined) =>
	(property?.options as INodePropertyOptions[] | undefined)?.map(({ value }) => value);
const findField = (properties: INodeProperties[], field: string) =>
	properties.find(({ name }) => name === field);

describe('a menu', () => {
	it.each<['image' | 'video', string, string, (string | number)[], string]>([
		['image', 'imgn-4.0', 'aspect_ratio', ['1:1', '4:3', '3:4', '16:9', '9:16'], ' (1:1)'],
		['image', 'gp-4o-image', 'size', ['1:1', '2:3', '3:2'], ''],
		['video', 'clipk-v3', 'resolution', ['720p', '1080p', '4K'], ' (720p)'],
		['video', 'clipk-v3', 'duration', to(3, 15), ' (5 s)'],
		['video', 'clipk-v2.6', 'duration', [5, 10], ' (5 s)'],
		['video', 'pxv-v6', 'duration', to(1, 15), ''],
	])('%s %s %s begins with the default of the model', (media, model, field, choices, byDefault) => {
		const { top } = listVisible(storedParameters(media, model, { action: 'generate' }));
		const property = findField(top, field);
		const unit = field === 'duration' ? ' s' : '';
		const options = (property!.options as INodePropertyOptions[]).map(({ name, value }) => [
			name,
			value,
		]);
		expect(options).toEqual([
			[`Model Default${byDefault}`, ''],
			...choices.map((choice) => [`${choice}${unit}`, choice]),
		]);
	});
});

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
