import { choice, prompt } from './shapes';
import type { Family } from '../schema';

/** Spec section 2.3, model imgn-4.0. */
export const imgn = {
	title: 'Imgn',
	media: 'image',
	fields: {
		prompt: prompt('What the image shows'),
		aspect_ratio: choice('Shape of the image', ['1:1', '4:3', '3:4', '16:9', '9:16'], '1:1'),
		n: { type: 'integer', min: 1, default: 1, description: 'Number of images to create' },
		seed: { type: 'integer', default: -1, description: 'Random seed; -1 for a new one each time' },
		resolution: {
			type: 'string',
			description: 'Has no effect: the image is always native 2K',
		},
	},
	rules: [
		{
			rule: 'ignored',
			when: {},
			fields: ['resolution'],
			description: 'Resolution has no effect on imgn-4.0: images are always native 2K',
		},
	],
	models: { 'imgn-4.0': { actions: ['generate'], price: { per: 'image', usd: 0.0425 } } },
	files: ['Output: JPG, link valid for 24 hours'],
} as const satisfies Family;
