import { choice, image, images, prompt, requires, seconds, toggle, underEach } from './shapes';
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
/** Prompts refer to images beside a reference video too; under generate, an image starts image to video. */
const WITH_IMAGES = ['generate', 'image2video', 'reference', 'reference_video'] as const;
const WITH_REFERENCES = {
	description: 'What happens in the video; <<<image_N>>> refers to the N-th of Image URLs',
} as const;

const IMAGE_FILE = { formats: ['jpg', 'png', 'webp'], mostMb: 30 } as const;
const VIDEO_FILE = { formats: ['mp4', 'mov'], mostMb: 100 } as const;

/** Spec section 2.3, family clipk. */
export const clipk = {
	title: 'Clipk',
	media: 'video',
	fields: {
		prompt: prompt('What happens in the video', 2500),
		first_frame_image: image('Public link to the image the video starts with', {
			file: IMAGE_FILE,
			actions: ['image2video', 'first_last_frame'],
		}),
		last_frame_image: image('Public link to the image the video ends with', {
			file: IMAGE_FILE,
			actions: ['first_last_frame'],
		}),
		video_list: {
			type: 'objects',
			maxItems: 1,
			primary: true,
			actions: ['reference_video'],
			description: 'The reference video, 2 to 30 s',
			items: {
				video_url: {
					type: 'link',
					media: 'video',
					file: VIDEO_FILE,
					required: true,
					description: 'Public link to the video',
				},
				refer_type: {
					type: 'string',
					enum: ['base', 'feature'],
					description: 'How the video is used',
				},
				keep_original_sound: {
					type: 'string',
					enum: ['yes', 'no'],
					description: 'Whether to keep the sound of the video',
				},
			},
		},
		image_urls: images('Public links to images to animate', {
			file: IMAGE_FILE,
			actions: ['generate', 'image2video'],
		}),
		video_urls: {
			type: 'links',
			media: 'video',
			file: VIDEO_FILE,
			maxItems: 1,
			actions: ['reference_video'],
			description:
				'Link to the reference video; a short form of Video List with the refer type "feature"',
		},
		aspect_ratio: choice(
			'Shape of the video; with images or videos it keeps the shape of its source',
			['16:9', '9:16', '1:1'],
			'16:9',
		),
		resolution: choice(
			'Resolution of the video, which sets the price per second',
			['720p', '1080p', '4K'],
			'720p',
		),
		duration: seconds('Length of the video in seconds', { default: 5 }),
		audio: toggle('Whether the video has sound'),
		watermark: toggle('Whether the video has a watermark'),
	},
	rules: [
		requires('image2video', 'first_frame_image', 'image_urls'),
		{
			rule: 'requires',
			when: { action: ['first_last_frame'] },
			allOf: ['first_frame_image', 'last_frame_image'],
			description: 'First and Last Frame requires First Frame Image and Last Frame Image',
		},
		requires('reference', 'image_urls'),
		requires('reference_video', 'video_list', 'video_urls'),
		{
			rule: 'excludes',
			when: { has: ['video_list'] },
			fields: ['video_urls'],
			description: 'A task takes one reference video: set Video List or Video URLs, not both',
		},
		...underEach(
			[
				{ models: ['clipk-v3-omni'], has: ['video_list', 'video_urls'] },
				{ models: ['clipk-v3-omni'], action: ['reference_video'] },
			],
			{
				rule: 'excludes',
				fields: ['audio'],
				description: 'Audio and a reference video cannot be combined on clipk-v3-omni',
			},
		),
		{
			rule: 'excludes',
			when: { models: ['clipk-v2.6'], action: ['first_last_frame'] },
			fields: ['audio'],
			description: 'Audio cannot be combined with First and Last Frame on clipk-v2.6',
		},
		{
			rule: 'ignored',
			when: { models: ['clipk-v2.6'], is: { resolution: ['720p'] } },
			fields: ['audio'],
			description: 'Audio has no effect at 720p on clipk-v2.6; use 1080p',
		},
		...underEach([{ action: IMAGE_ACTIONS }, { has: SOURCES }], {
			rule: 'ignored',
			fields: ['aspect_ratio'],
			description:
				'Aspect Ratio has no effect with images or videos: the result keeps the shape of its source',
		}),
		{
			rule: 'recommends',
			when: { models: ['clipk-v3', 'clipk-v2.6'] },
			field: 'image_urls',
			to: { maxItems: 1 },
			description: 'Only clipk-v3-omni and clipk-video-o1 work from several images',
		},
		{
			rule: 'references',
			when: { models: MULTIMODAL },
			field: 'prompt',
			token: 'image',
			list: 'image_urls',
			description: 'In Prompt, <<<image_N>>> refers to the N-th entry of Image URLs, starting at 1',
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
				prompt: WITH_REFERENCES,
				image_urls: { maxItems: 7, actions: WITH_IMAGES },
				duration: { min: 3, max: 15 },
			},
			price: {
				per: 'second',
				usd: { '720p': 0.0714, '1080p': 0.0952, '4K': 0.455345 },
				overrides: [
					{
						when: { has: ['video_list', 'video_urls'] },
						usd: { '720p': 0.1071, '1080p': 0.1428, '4K': 'unstated' },
					},
					{
						when: { is: { audio: [true] } },
						usd: { '720p': 0.0952, '1080p': 0.119, '4K': 'unstated' },
					},
				],
			},
		},
		'clipk-video-o1': {
			actions: ['generate', 'image2video', 'first_last_frame', 'reference', 'reference_video'],
			omit: ['audio', 'watermark'],
			fields: {
				prompt: WITH_REFERENCES,
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
	files: ['Reference video: 2-30 s', 'Output: MP4, link valid for 24 hours'],
} as const satisfies Family;
