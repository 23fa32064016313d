import { choice, images, prompt, requires } from './shapes';
import type { Family } from '../schema';

const ACTIONS = ['generate', 'image2image', 'reference'] as const;

/** Spec section 2.3, family qwn. */
export const qwn = {
	title: 'Qwn',
	media: 'image',
	fields: {
		prompt: prompt('What the image shows, or what to change in it', 800),
		image_urls: images('Public links to images', {
			file: { formats: ['jpg', 'png', 'webp'], mostMb: 30 },
			actions: ['image2image', 'reference'],
		}),
		aspect_ratio: choice(
			'Shape of the image',
			['1:1', '4:3', '3:4', '16:9', '9:16', '3:2', '2:3'],
			'1:1',
		),
		resolution: choice('Size of the image', ['1K', '2K'], '2K'),
		n: { type: 'integer', min: 1, default: 1, description: 'Number of images to create' },
		seed: { type: 'integer', default: -1, description: 'Random seed; -1 for a new one each time' },
		negative_prompt: {
			type: 'string',
			maxLength: 500,
			description: 'What the image should not show',
		},
	},
	rules: [
		requires('image2image', 'image_urls'),
		{
			rule: 'limits',
			when: { action: ['image2image'] },
			field: 'image_urls',
			to: { maxItems: 1 },
			description: 'Image to Image takes one image; use Reference for several',
		},
		requires('reference', 'image_urls'),
	],
	models: {
		'qwn-image-2.0': { actions: ACTIONS, price: { per: 'image', usd: 0.02125 } },
		'qwn-image-2.0-pro': { actions: ACTIONS, price: { per: 'image', usd: 0.053125 } },
	},
	files: ['Output: link valid for 24 hours'],
} as const satisfies Family;
