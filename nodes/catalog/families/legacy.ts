import { choice, images, prompt, unpriced } from './shapes';
import type { Family } from '../schema';

/** Spec section 2.3, legacy image submission. */
export const legacy = {
	title: 'Legacy Image',
	media: 'image',
	fields: {
		prompt: prompt('What the image shows, or what to change in it', 1000),
		image_urls: images('Public links to images to work from', { maxItems: 5 }),
		size: choice('Shape of the image', ['1:1', '2:3', '3:2']),
		n: {
			type: 'integer',
			enum: [1, 2, 4],
			description: 'Number of images to create; the quota held grows with it',
		},
		mask_url: {
			type: 'link',
			media: 'image',
			file: { formats: ['png'], mostMb: 4 },
			description:
				'Public link to an image that marks what to change: the size of the reference image',
		},
	},
	rules: [],
	models: {
		'gp-4o-image': {
			actions: ['generate'],
			price: unpriced('Quota is held by number of images'),
		},
	},
	files: ['Mask: same dimensions as the reference image', 'Output: link valid for 24 hours'],
} as const satisfies Family;
