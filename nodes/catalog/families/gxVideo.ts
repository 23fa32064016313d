import { requires, underEach } from './ruleShapes';
import type { Family } from '../schema';

/** Spec section 2.3, model gx-imagine-1.0-video, and the changes recorded in section 9. */
export const gxVideo = {
	title: 'Gx Imagine Video',
	media: 'video',
	fields: {
		prompt: {
			type: 'string',
			required: true,
			description: 'What happens in the video; with images, their motion and style',
		},
		image_urls: {
			type: 'links',
			media: 'image',
			file: { formats: ['jpg', 'png', 'webp'] },
			primary: true,
			maxItems: 7,
			description:
				'Public links to images to animate: JPG, PNG or WEBP; the first sets the shape of the video',
		},
		aspect_ratio: {
			type: 'string',
			primary: true,
			enum: ['16:9', '9:16', '1:1', '3:2', '2:3'],
			default: '16:9',
			description: 'Shape of the video; with images it keeps the shape of the first one',
		},
		resolution: {
			type: 'string',
			primary: true,
			enum: ['480p', '720p'],
			default: '480p',
			description: 'Resolution of the video, at the same price',
		},
		duration: {
			type: 'integer',
			primary: true,
			min: 6,
			max: 30,
			default: 6,
			unit: 's',
			description: 'Length of the video in seconds',
		},
	},
	rules: [
		requires('image2video', 'image_urls'),
		...underEach([{ action: ['image2video'] }, { has: ['image_urls'] }], {
			rule: 'ignored',
			fields: ['aspect_ratio'],
			description:
				'Aspect Ratio has no effect with images: the video keeps the shape of the first one',
		}),
	],
	models: {
		'gx-imagine-1.0-video': {
			actions: ['generate', 'image2video'],
			price: { per: 'second', usd: 0.0074375 },
		},
		'gx-imagine-1.0-video-rev': {
			actions: ['generate'],
			price: { per: 'unknown', description: 'No longer served' },
			deprecated: { reason: 'retired', replacement: 'gx-imagine-video-1.5-rev' },
		},
	},
	files: ['Output: MP4, link valid for 24 hours'],
} as const satisfies Family;
