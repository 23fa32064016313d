import type { Family } from '../schema';

const IMAGE_ACTIONS = ['image2video', 'first_last_frame', 'reference', 'reference_video'] as const;
const MULTIMODAL = ['clipk-video-o1', 'clipk-v3-omni'] as const;
const SOURCES = [
	'image_urls',
	'first_frame_image',
	'last_frame_image',
	'video_list',
	'video_urls',
] as const;
const FOLLOWS_SOURCE =
	'Aspect Ratio counts for text to video only; references keep the shape of their source';
const NO_SOUND_BESIDE_VIDEO = 'on clipk-v3-omni, Audio and a reference video exclude each other';
/** Images may also be cited beside a reference video; under generate, one triggers image to video. */
const WITH_IMAGES = ['generate', 'image2video', 'reference', 'reference_video'] as const;
const CITING = {
	description: 'What happens in the video; <<<image_N>>> cites the N-th of Image URLs',
} as const;

/** Spec section 2.3, family clipk. */
export const clipk = {
	id: 'clipk',
	title: 'Clipk',
	media: 'video',
	section: '2.3 Family clipk (video)',
	fields: {
		prompt: {
			type: 'string',
			required: true,
			maxLength: 2500,
			description: 'What happens in the video',
		},
		first_frame_image: {
			type: 'link',
			media: 'image',
			primary: true,
			actions: ['image2video', 'first_last_frame'],
			description: 'Public link to the image the video starts with',
		},
		last_frame_image: {
			type: 'link',
			media: 'image',
			primary: true,
			actions: ['first_last_frame'],
			description: 'Public link to the image the video ends with',
		},
		image_urls: {
			type: 'links',
			media: 'image',
			primary: true,
			actions: ['generate', 'image2video'],
			description:
				'Public links to images: JPG, PNG or WEBP, at most 30 MB each; one starts image to video',
		},
		video_list: {
			type: 'objects',
			maxItems: 1,
			primary: true,
			actions: ['reference_video'],
			description: 'The reference video: MP4 or MOV, at most 100 MB, 2-30 s',
			items: {
				video_url: {
					type: 'link',
					media: 'video',
					required: true,
					description: 'Public link to the video',
				},
				refer_type: {
					type: 'string',
					enum: ['base', 'feature'],
					description: 'Whether the video is the base to edit or a feature to follow',
				},
				keep_original_sound: {
					type: 'string',
					enum: ['yes', 'no'],
					description: 'Whether the sound of the video is kept',
				},
			},
		},
		video_urls: {
			type: 'links',
			media: 'video',
			maxItems: 1,
			actions: ['reference_video'],
			description: 'Short form of a Video List entry with refer type "feature"',
		},
		aspect_ratio: {
			type: 'string',
			primary: true,
			enum: ['16:9', '9:16', '1:1'],
			default: '16:9',
			description:
				'Shape of the video, for text to video; references keep the shape of their source',
		},
		resolution: {
			type: 'string',
			primary: true,
			enum: ['720p', '1080p', '4K'],
			default: '720p',
			description: 'Resolution of the video; sets the price per second',
		},
		duration: {
			type: 'integer',
			primary: true,
			default: 5,
			description: 'Length of the video in seconds',
		},
		audio: { type: 'boolean', default: false, description: 'Whether the video gets sound' },
		watermark: {
			type: 'boolean',
			default: false,
			description: 'Whether the video carries a watermark',
		},
	},
	rules: [
		{
			rule: 'requires',
			when: { action: ['image2video'] },
			anyOf: ['first_frame_image', 'image_urls'],
			description: 'image2video works from First Frame Image or Image URLs',
		},
		{
			rule: 'requires',
			when: { action: ['first_last_frame'] },
			allOf: ['first_frame_image', 'last_frame_image'],
			description: 'first_last_frame requires both First Frame Image and Last Frame Image',
		},
		{
			rule: 'requires',
			when: { action: ['reference'] },
			anyOf: ['image_urls'],
			description: 'reference works from Image URLs',
		},
		{
			rule: 'requires',
			when: { action: ['reference_video'] },
			anyOf: ['video_list', 'video_urls'],
			description: 'reference_video works from Video List or its short form Video URLs',
		},
		{
			rule: 'excludes',
			when: { has: ['video_list'] },
			fields: ['video_urls'],
			description:
				'a task takes one reference clip, so Video List and Video URLs cannot be combined',
		},
		{
			rule: 'excludes',
			when: { models: ['clipk-v3-omni'], has: ['video_list', 'video_urls'] },
			fields: ['audio'],
			description: NO_SOUND_BESIDE_VIDEO,
		},
		{
			rule: 'excludes',
			when: { models: ['clipk-v3-omni'], action: ['reference_video'] },
			fields: ['audio'],
			description: NO_SOUND_BESIDE_VIDEO,
		},
		{
			rule: 'excludes',
			when: { models: ['clipk-v2.6'], action: ['first_last_frame'] },
			fields: ['audio'],
			description: 'on clipk-v2.6, Audio cannot be combined with first_last_frame',
		},
		{
			rule: 'ignored',
			when: { models: ['clipk-v2.6'], is: { resolution: ['720p'] } },
			fields: ['audio'],
			description: 'on clipk-v2.6, Audio is effective only at 1080p',
		},
		{
			rule: 'ignored',
			when: { action: IMAGE_ACTIONS },
			fields: ['aspect_ratio'],
			description: FOLLOWS_SOURCE,
		},
		{
			rule: 'ignored',
			when: { has: SOURCES },
			fields: ['aspect_ratio'],
			description: FOLLOWS_SOURCE,
		},
		{
			rule: 'advises',
			when: { models: ['clipk-v3', 'clipk-v2.6'] },
			field: 'image_urls',
			to: { maxItems: 1 },
			description: 'several images as reference are a feature of clipk-v3-omni and clipk-video-o1',
		},
		{
			rule: 'references',
			when: { models: MULTIMODAL },
			field: 'prompt',
			token: 'image',
			list: 'image_urls',
			description: '<<<image_N>>> cites the N-th entry of Image URLs, and N starts at 1',
		},
	],
	models: {
		'clipk-v3': {
			actions: ['generate', 'image2video', 'first_last_frame'],
			omit: ['video_list', 'video_urls'],
			fields: { duration: { min: 3, max: 15 } },
			price: {
				per: 'second',
				usd: { '720p': 0.0714, '1080p': 0.0952, '4K': 0.455345 },
				overrides: [
					{
						when: { is: { audio: [true] } },
						usd: { '720p': 0.1071, '1080p': 0.1428, '4K': 0.455345 },
					},
				],
			},
		},
		'clipk-v3-omni': {
			actions: ['generate', 'image2video', 'reference', 'reference_video'],
			fields: {
				prompt: CITING,
				image_urls: { maxItems: 7, actions: WITH_IMAGES },
				duration: { min: 3, max: 15 },
			},
			price: {
				per: 'second',
				usd: { '720p': 0.0714, '1080p': 0.0952, '4K': 0.455345 },
				overrides: [
					{ when: { has: ['video_list', 'video_urls'] }, usd: { '720p': 0.1071, '1080p': 0.1428 } },
					{ when: { is: { audio: [true] } }, usd: { '720p': 0.0952, '1080p': 0.119 } },
				],
			},
		},
		'clipk-video-o1': {
			actions: ['generate', 'image2video', 'first_last_frame', 'reference', 'reference_video'],
			omit: ['audio', 'watermark'],
			fields: {
				prompt: CITING,
				image_urls: { actions: WITH_IMAGES },
				resolution: { enum: ['720p', '1080p'] },
				duration: { enum: [5, 10] },
			},
			price: {
				per: 'second',
				usd: { '720p': 0.0714, '1080p': 0.0952 },
				overrides: [
					{ when: { has: ['video_list', 'video_urls'] }, usd: { '720p': 0.1071, '1080p': 0.1428 } },
				],
			},
		},
		'clipk-v2.6': {
			actions: ['generate', 'image2video', 'first_last_frame'],
			omit: ['video_list', 'video_urls'],
			fields: {
				resolution: { enum: ['720p', '1080p'] },
				duration: { enum: [5, 10] },
			},
			price: {
				per: 'second',
				usd: { '720p': 0.0391, '1080p': 0.06641 },
				overrides: [
					{
						when: { is: { audio: [true], resolution: ['1080p'] } },
						usd: { '1080p': 0.159375 },
					},
				],
			},
		},
	},
	files: [
		'Reference images: at most 30 MB, JPG, PNG or WEBP',
		'Reference video: MP4 or MOV, at most 100 MB, 2-30 s, one clip',
		'Output: MP4, link valid for 24 hours',
	],
} as const satisfies Family;
