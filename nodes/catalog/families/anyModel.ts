import { images } from './shapes';
import type { Field } from '../schema';

const GENERAL_ACTIONS = ['generate', 'edit', 'upscale', 'variation', 'blend'] as const;

/** Actions of spec section 2.2, for models without a list of their own. */
export const COMMON_ACTIONS = {
	image: [
		...GENERAL_ACTIONS,
		'image2image',
		'reference',
		'inpaint',
		'group',
		'interactive_edit',
		'search_grounded',
	],
	video: [...GENERAL_ACTIONS, 'image2video', 'first_last_frame', 'reference_video', 'extend'],
} as const;

/** Accepted by every model: spec section 2.2. The panel has `callback_*` under Options. */
export const EVERY_REQUEST = {
	callback_url: {
		type: 'link',
		label: 'Callback URL',
		description: 'Webhook that the gateway calls when the task has ended',
	},
	callback_events: {
		type: 'texts',
		description: 'Events that the gateway calls the webhook for; all of them when empty',
	},
	extra: {
		type: 'object',
		label: 'Provider Parameters',
		description: 'Passed on to the provider of the model, as JSON',
	},
} as const satisfies Record<string, Field>;

/** Fields of a model without a table: spec section 2.2, without choices and limits. */
export const COMMON_FIELDS = {
	prompt: {
		type: 'string',
		primary: true,
		description: 'Describe the result (usually required)',
	},
	image_urls: images('Links to reference images', { assets: true, anyLink: true }),
	aspect_ratio: {
		type: 'string',
		primary: true,
		placeholder: 'e.g. 16:9',
		description: 'Shape of the result, as the model names it',
	},
	resolution: {
		type: 'string',
		primary: true,
		placeholder: 'e.g. 2K or 720p',
		description: 'Size of the result, as the model names it',
	},
	n: { type: 'integer', default: 1, description: 'Number of images to create' },
	seed: { type: 'integer', description: 'Random seed' },
} as const satisfies Record<string, Field>;

/** Of a video model. Its panel does not offer a number of images. */
export const COMMON_VIDEO_FIELDS = {
	...COMMON_FIELDS,
	n: { ...COMMON_FIELDS.n, actions: [] },
} as const satisfies Record<string, Field>;
