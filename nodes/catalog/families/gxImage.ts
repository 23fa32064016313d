import { choice, images, prompt, requires, underEach, unpriced } from './shapes';
import type { Family } from '../schema';

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
] as const;
const SET_OF_7 = ['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9'] as const;
const SET_OF_5 = ['1:1', '16:9', '9:16', '3:2', '2:3'] as const;
const GENERATE_OR_EDIT = ['generate', 'edit'] as const;
/** The spec lists reference images under `edit`, and "also under `generate`" for 1.5-rev only. */
const REFERENCES_UNDER_EDIT = [
	'gx-imagine-image',
	'gx-imagine-image-quality',
	'gx-imagine-image-2.0',
	'gx-imagine-1.5-edit-rev',
] as const;
const ONE_PRICE = unpriced('One price per image, no fee for references');

/** Spec section 2.3, family gx-imagine (image). */
export const gxImage = {
	title: 'Gx Imagine Image',
	media: 'image',
	fields: {
		prompt: prompt('What the image shows, or what to change in it'),
		image_urls: images('Public links to images to work from, in order', { actions: ['edit'] }),
		aspect_ratio: choice('Shape of the image', SET_OF_14, 'auto'),
		resolution: {
			...choice('Size of the image', ['1k', '2k'], '1k'),
			otherValues: 'It is billed at the price of 1k',
		},
		quality: choice('Quality of the image; when empty, the resolution alone sets the price', [
			'low',
			'medium',
		]),
		n: {
			type: 'integer',
			min: 1,
			max: 10,
			default: 1,
			description: 'Number of images to create',
		},
	},
	refused: {
		seed: 'Gx Imagine images have no seed',
		mask_url: 'Describe in Prompt which part to change',
	},
	rules: [
		requires('edit', 'image_urls'),
		{
			rule: 'excludes',
			when: { models: REFERENCES_UNDER_EDIT, action: ['generate'] },
			fields: ['image_urls'],
			description: 'Images need Mode Edit, or the model gx-imagine-1.5-rev',
		},
		...underEach([{ action: ['edit'] }, { has: ['image_urls'] }], {
			rule: 'excludes',
			fields: ['quality'],
			description: 'Quality cannot be combined with Edit or reference images',
		}),
		{
			rule: 'recommends',
			when: { models: ['gx-imagine-image'], action: ['edit'] },
			field: 'n',
			to: { max: 1 },
			description: 'gx-imagine-image returns one image under Edit',
		},
	],
	models: {
		'gx-imagine-image': {
			actions: GENERATE_OR_EDIT,
			omit: ['quality'],
			fields: { image_urls: { maxItems: 5 } },
			price: unpriced('(one price at 1k and 2k + price per reference x references) x images'),
		},
		'gx-imagine-image-quality': {
			actions: GENERATE_OR_EDIT,
			omit: ['quality'],
			fields: { image_urls: { maxItems: 3 } },
			price: unpriced('(tier of the resolution + price per reference x references) x images'),
		},
		'gx-imagine-image-2.0': {
			actions: GENERATE_OR_EDIT,
			fields: { image_urls: { maxItems: 3 } },
			price: unpriced('Tier of resolution x quality x images + price per reference x references'),
		},
		'gx-imagine-image-2.0-rev': {
			actions: ['generate'],
			omit: ['image_urls', 'resolution', 'quality'],
			fields: { aspect_ratio: { enum: SET_OF_7, default: '1:1' }, n: { max: 12 } },
			price: ONE_PRICE,
		},
		'gx-imagine-1.5-rev': {
			actions: ['generate'],
			omit: ['resolution', 'quality'],
			fields: {
				image_urls: { maxItems: 5, actions: ['generate'] },
				aspect_ratio: { enum: SET_OF_5, default: undefined },
			},
			price: ONE_PRICE,
		},
		'gx-imagine-1.5-edit-rev': {
			actions: GENERATE_OR_EDIT,
			omit: ['aspect_ratio', 'resolution', 'quality'],
			fields: { image_urls: { maxItems: 5 } },
			price: ONE_PRICE,
		},
	},
} as const satisfies Family;
