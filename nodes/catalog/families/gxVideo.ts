import { choice, images, prompt, requires, seconds, underEach, unpriced } from './shapes';
import type { Family } from '../schema';

/** Spec section 2.3, model gx-imagine-1.0-video, and the changes recorded in section 9. */
export const gxVideo = {
	title: 'Gx Imagine Video',
	media: 'video',
	fields: {
		prompt: prompt('What happens in the video; with images, their motion and style'),
		image_urls: images('Public links to images to animate; the first sets the shape of the video', {
			file: { formats: ['jpg', 'png', 'webp'] },
			maxItems: 7,
		}),
		aspect_ratio: choice(
			'Shape of the video; with images it keeps the shape of the first one',
			['16:9', '9:16', '1:1', '3:2', '2:3'],
			'16:9',
		),
		resolution: choice('Resolution of the video, at the same price', ['480p', '720p'], '480p'),
		duration: seconds('Length of the video in seconds', { min: 6, max: 30, default: 6 }),
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
			price: unpriced('No longer served'),
			deprecated: { reason: 'retired', replacement: 'gx-imagine-video-1.5-rev' },
		},
	},
	files: ['Output: MP4, link valid for 24 hours'],
} as const satisfies Family;
