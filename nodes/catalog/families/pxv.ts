import type { Family } from '../schema';

const IMAGES = ['image_urls', 'first_frame_image', 'last_frame_image', 'img_references'] as const;

/** Spec section 2.3, model pxv-v6. */
export const pxv = {
	id: 'pxv',
	title: 'Pxv',
	media: 'video',
	section: '2.3 Model pxv-v6 (video)',
	fields: {
		prompt: {
			type: 'string',
			required: true,
			maxLength: 5000,
			description: 'What happens in the video; under extend, how it goes on',
		},
		ref_task_id: {
			type: 'string',
			primary: true,
			actions: ['extend'],
			label: 'Reference Task ID',
			placeholder: 'e.g. task_01h8',
			description: 'ID of a completed pxv-v6 task of the same account, whose video goes on',
		},
		image_urls: {
			type: 'links',
			media: 'image',
			primary: true,
			description: 'Public link to an image that starts to move; only the first is used',
		},
		first_frame_image: {
			type: 'link',
			media: 'image',
			primary: true,
			description: 'Public link to the image the video starts with; goes with Last Frame Image',
		},
		last_frame_image: {
			type: 'link',
			media: 'image',
			primary: true,
			description: 'Public link to the image the video ends with; goes with First Frame Image',
		},
		img_references: {
			type: 'links',
			media: 'image',
			minItems: 1,
			maxItems: 7,
			label: 'Image References',
			description: 'Public links to images that are fused into one video',
		},
		aspect_ratio: {
			type: 'string',
			primary: true,
			enum: ['16:9', '4:3', '1:1', '3:4', '9:16', '2:3', '3:2', '21:9'],
			description:
				'Shape of the video, for text to video and fusion; other modes keep the shape of their source',
		},
		resolution: {
			type: 'string',
			primary: true,
			enum: ['360p', '540p', '720p', '1080p'],
			default: '540p',
			description: 'Resolution of the video; sets the price tier',
		},
		duration: {
			type: 'integer',
			primary: true,
			min: 1,
			max: 15,
			description: 'Length of the video in seconds; 5 or 8 between first and last frame',
		},
		negative_prompt: {
			type: 'string',
			maxLength: 2048,
			description: 'What the video must not show',
		},
		seed: {
			type: 'integer',
			min: 0,
			max: 2147483647,
			description: 'Random seed',
		},
		watermark: {
			type: 'boolean',
			default: false,
			description: 'Whether the video carries a watermark at the bottom right',
		},
		generate_audio: {
			type: 'boolean',
			default: false,
			description: 'Whether sound is generated; billed at the audio tier of the resolution',
		},
		motion_mode: { type: 'string', enum: ['normal'], description: 'Mode of the motion' },
		generate_multi_clip_switch: {
			type: 'boolean',
			default: false,
			label: 'Generate Multiple Clips',
			description:
				'Whether the video is cut into several clips; effective in text to video and image to video',
		},
	},
	refused: { n: 'a task gives one result' },
	rules: [
		{
			rule: 'requires',
			when: { has: ['first_frame_image'] },
			allOf: ['last_frame_image'],
			description: 'First Frame Image and Last Frame Image must be sent together',
		},
		{
			rule: 'requires',
			when: { has: ['last_frame_image'] },
			allOf: ['first_frame_image'],
			description: 'First Frame Image and Last Frame Image must be sent together',
		},
		{
			rule: 'limits',
			when: { has: ['first_frame_image', 'last_frame_image'] },
			field: 'duration',
			to: { enum: [5, 8] },
			description: 'between first and last frame the video lasts 5 or 8 seconds',
		},
		{
			rule: 'requires',
			when: { action: ['extend'] },
			allOf: ['ref_task_id'],
			description: 'extend requires the ID of a completed pxv-v6 task of the same account',
		},
		{
			rule: 'excludes',
			when: { action: ['extend'] },
			fields: IMAGES,
			description: 'extend goes on from the video of the reference task and takes no images',
		},
		{
			rule: 'ignored',
			when: { action: ['extend'] },
			fields: ['aspect_ratio'],
			description: 'extend keeps the shape of the video it goes on from',
		},
		{
			rule: 'ignored',
			when: { has: ['image_urls', 'first_frame_image', 'last_frame_image'] },
			fields: ['aspect_ratio'],
			description: 'Aspect Ratio is effective in text to video and fusion only',
		},
		{
			rule: 'ignored',
			when: { action: ['extend'] },
			fields: ['generate_multi_clip_switch'],
			description: 'Generate Multiple Clips is effective only in text to video and image to video',
		},
		{
			rule: 'ignored',
			when: { has: ['first_frame_image', 'last_frame_image', 'img_references'] },
			fields: ['generate_multi_clip_switch'],
			description: 'Generate Multiple Clips is effective only in text to video and image to video',
		},
		{
			rule: 'advises',
			when: {},
			field: 'image_urls',
			to: { maxItems: 1 },
			description: 'pxv-v6 uses only the first, and several images belong into Image References',
		},
	],
	models: {
		'pxv-v6': {
			actions: ['generate', 'extend'],
			price: {
				per: 'unknown',
				description:
					'Tier of the resolution (540p when omitted) x seconds; Generate Audio moves to the audio tier; extend is billed on its own duration and resolution',
			},
		},
	},
} as const satisfies Family;
