import { choice, images, prompt, requires, toggle, unpriced } from './shapes';
import type { Family } from '../schema';

const ACTIONS = ['generate', 'edit'] as const;

/** The models share one field set; the tiered ones take a resolution, flex alone takes steps and guidance. */
const tiered = {
	actions: ACTIONS,
	price: unpriced(
		'Price tier of the resolution (2mp when omitted) plus a fee for each reference image; tiers differ by model',
	),
	fields: {
		image_urls: { maxItems: 8 },
		output_format: { default: 'jpeg' },
		safety_tolerance: { max: 5 },
	},
} as const;
const context = {
	actions: ACTIONS,
	omit: ['resolution', 'steps', 'guidance'],
	price: unpriced('One fixed price per image, no fee for references'),
	fields: {
		image_urls: { maxItems: 4 },
		output_format: { default: 'png' },
		safety_tolerance: { max: 6 },
	},
} as const;

/** Spec section 2.3, family flx. */
export const flx = {
	title: 'Flx',
	media: 'image',
	fields: {
		prompt: prompt('What the image shows, or what to change in it'),
		image_urls: images('Public links to images that can be downloaded directly', {
			file: { formats: ['png', 'jpg', 'webp', 'gif', 'bmp'] },
			actions: ['edit'],
		}),
		aspect_ratio: choice(
			'Shape of the image',
			['1:1', '4:3', '3:4', '16:9', '9:16', '3:2', '2:3', '21:9', '9:21', 'auto'],
			'1:1',
		),
		resolution: {
			type: 'string',
			primary: true,
			enum: ['1mp', '2mp', '3mp', '4mp'],
			default: '2mp',
			otherValues: 'It is billed at the price of 2mp',
			description: 'Size of the image in megapixels, which sets the price tier',
		},
		n: {
			type: 'integer',
			enum: [1],
			default: 1,
			description: 'Number of images to create; always one on these models',
		},
		seed: { type: 'integer', description: 'Random seed' },
		output_format: {
			type: 'string',
			enum: ['jpeg', 'png', 'webp'],
			description: 'File format of the image',
		},
		prompt_upsampling: toggle('Whether to upsample the prompt before it is used'),
		safety_tolerance: {
			type: 'integer',
			min: 0,
			default: 2,
			description: 'How tolerant the safety filter is',
		},
		steps: {
			type: 'integer',
			min: 1,
			max: 50,
			default: 50,
			description: 'Number of inference steps',
		},
		guidance: {
			type: 'number',
			min: 1.5,
			max: 10,
			default: 5,
			description: 'How closely to follow the prompt',
		},
	},
	refused: {
		quality: 'Flx models have no quality setting',
		negative_prompt: 'Describe in Prompt what the image should show',
		watermark: 'Flx models have no such setting',
		mask_url: 'Describe in Prompt which part to change',
	},
	rules: [
		requires('edit', 'image_urls'),
		{
			rule: 'excludes',
			when: { action: ['generate'] },
			fields: ['image_urls'],
			description: 'Images need Mode Edit',
		},
	],
	models: {
		'flx-2-pro': { ...tiered, omit: ['steps', 'guidance'] },
		'flx-2-max': { ...tiered, omit: ['steps', 'guidance'] },
		'flx-2-flex': tiered,
		'flx-ctx-pro': context,
		'flx-ctx-max': context,
	},
	files: [
		'Images: directly downloadable; one whose size cannot be read is refused unbilled',
		'Output plus all reference images: at most 9 MP (1 MP = 1024 x 1024 pixels)',
	],
} as const satisfies Family;
