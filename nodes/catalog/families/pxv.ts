import { choice, image, images, prompt, seconds, toggle, unpriced } from './shapes';
import type { Family } from '../schema';

const IMAGES = ['image_urls', 'first_frame_image', 'last_frame_image', 'img_references'] as const;

/** Spec section 2.3, model pxv-v6. */
export const pxv = {
	title: 'Pxv',
	media: 'video',
	fields: {
		prompt: prompt('What happens in the video; under Extend, how it goes on', 5000),
		ref_task_id: {
			type: 'string',
			primary: true,
			actions: ['extend'],
			label: 'Reference Task ID',
			placeholder: 'e.g. task_01h8',
			description: 'ID of a completed pxv-v6 task of the same account, whose video to continue',
		},
		image_urls: images('Public link to an image to animate; only the first is used'),
		first_frame_image: image(
			'Public link to the image the video starts with; set it together with Last Frame Image',
		),
		last_frame_image: image(
			'Public link to the image the video ends with; set it together with First Frame Image',
		),
		img_references: {
			type: 'links',
			media: 'image',
			minItems: 1,
			maxItems: 7,
			label: 'Image References',
			description: 'Public links to images to fuse into one video',
		},
		aspect_ratio: choice(
			'Shape of the video, for text to video and fusion; otherwise it keeps the shape of its source',
			['16:9', '4:3', '1:1', '3:4', '9:16', '2:3', '3:2', '21:9'],
		),
		resolution: choice(
			'Resolution of the video, which sets the price tier',
			['360p', '540p', '720p', '1080p'],
			'540p',
		),
		duration: seconds('Length of the video in seconds; 5 or 8 with first and last frame', {
			min: 1,
			max: 15,
		}),
		negative_prompt: {
			type: 'string',
			maxLength: 2048,
			description: 'What the video should not show',
		},
		seed: {
			type: 'integer',
			min: 0,
			max: 2147483647,
			description: 'Random seed',
		},
		watermark: toggle('Whether the video has a watermark at the bottom right'),
		generate_audio: toggle('Whether to generate sound, billed at the audio tier of the resolution'),
		motion_mode: {
			type: 'string',
			enum: ['normal'],
			description: 'Motion of the video; only one mode exists',
		},
		generate_multi_clip_switch: {
			...toggle('Whether to create several clips, for text to video and image to video only'),
			label: 'Generate Multiple Clips',
		},
	},
	refused: { n: 'A task gives one result' },
	rules: [
		{
			rule: 'requires',
			when: { has: ['first_frame_image', 'last_frame_image'] },
			allOf: ['first_frame_image', 'last_frame_image'],
			description: 'First Frame Image and Last Frame Image must be set together',
		},
		{
			rule: 'limits',
			when: { has: ['first_frame_image', 'last_frame_image'] },
			field: 'duration',
			to: { enum: [5, 8] },
			description: 'With first and last frame, the video lasts 5 or 8 seconds',
		},
		{
			rule: 'requires',
			when: { action: ['extend'] },
			allOf: ['ref_task_id'],
			description: 'Extend requires the ID of a completed pxv-v6 task of the same account',
		},
		{
			rule: 'excludes',
			when: { action: ['extend'] },
			fields: IMAGES,
			description: 'Extend takes no images: it continues the video of the reference task',
		},
		{
			rule: 'ignored',
			when: { action: ['extend'] },
			fields: ['aspect_ratio'],
			description:
				'Aspect Ratio has no effect under Extend: the video keeps the shape of its source',
		},
		{
			rule: 'ignored',
			when: { has: ['image_urls', 'first_frame_image', 'last_frame_image'] },
			fields: ['aspect_ratio'],
			description: 'Aspect Ratio has no effect with Image URLs or with first and last frame',
		},
		{
			rule: 'ignored',
			when: { action: ['extend'] },
			fields: ['generate_multi_clip_switch'],
			description: 'Generate Multiple Clips has no effect under Extend',
		},
		{
			rule: 'ignored',
			when: { has: ['first_frame_image', 'last_frame_image', 'img_references'] },
			fields: ['generate_multi_clip_switch'],
			description:
				'Generate Multiple Clips has no effect with first and last frame or Image References',
		},
		{
			rule: 'recommends',
			when: {},
			field: 'image_urls',
			to: { maxItems: 1 },
			description: 'pxv-v6 uses only the first of Image URLs; use Image References for several',
		},
	],
	models: {
		'pxv-v6': {
			actions: ['generate', 'extend'],
			price: unpriced(
				'Tier of the resolution (540p when omitted) x seconds; Generate Audio moves to the audio tier; extend is billed on its own duration and resolution',
			),
		},
	},
} as const satisfies Family;
