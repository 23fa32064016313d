import { image, images, unpriced } from './shapes';
import { COMMON_ACTIONS, COMMON_FIELDS, COMMON_VIDEO_FIELDS } from './anyModel';
import type { Family } from '../schema';

const NO_PRICE = unpriced('No price is stated');
const publicImages = images(COMMON_FIELDS.image_urls.description);

/** Where the model does not work from images alone. */
const WITH_VIDEO = COMMON_ACTIONS.video.filter(
	(action) => action !== 'image2video' && action !== 'first_last_frame',
);

const FRAME = { assets: true, actions: ['generate', 'image2video', 'first_last_frame'] } as const;

/** Spec section 2.4: the models that take `asset://` references, and the fields that accept them. */
export const sdn = {
	title: 'Sdn',
	media: 'video',
	fields: {
		...COMMON_VIDEO_FIELDS,
		image_urls: images('Public links to images, or assets: always for portraits of real people', {
			assets: true,
		}),
		first_frame_image: image('Image the video starts with: a public link or an asset', FRAME),
		last_frame_image: image('Image the video ends with: a public link or an asset', FRAME),
		video_urls: {
			type: 'links',
			media: 'video',
			assets: true,
			primary: true,
			actions: WITH_VIDEO,
			description: 'Public links to videos, or assets',
		},
		audio_urls: {
			type: 'links',
			media: 'audio',
			assets: true,
			description: 'Public links to audio, or assets',
		},
		image_with_roles: {
			type: 'objects',
			label: 'Images with Roles',
			placeholder: 'e.g. [{ "url": "asset://ast_01" }]',
			description: 'Images with their roles, as a JSON list of objects with a url',
			items: {
				url: {
					type: 'link',
					media: 'image',
					assets: true,
					description: 'Public link to the image, or an asset',
				},
			},
		},
	},
	rules: [],
	models: {
		'sdn-2.0': { actions: COMMON_ACTIONS.video, price: NO_PRICE, open: true },
		'sdn-2.0-fast': { actions: COMMON_ACTIONS.video, price: NO_PRICE, open: true },
		'sdn-2.0-mini': { actions: COMMON_ACTIONS.video, price: NO_PRICE, open: true },
		'sdn-2.5': { actions: COMMON_ACTIONS.video, price: NO_PRICE, open: true },
	},
	files: ['Portraits of real people must be uploaded as assets first'],
} as const satisfies Family;

/** Spec section 9, change 4: 1-6 images per request is all that is stated. */
export const qwn3 = {
	title: 'Qwn 3',
	media: 'image',
	fields: {
		...COMMON_FIELDS,
		image_urls: publicImages,
		n: { ...COMMON_FIELDS.n, min: 1, max: 6 },
	},
	rules: [],
	models: {
		'qwn-image-3.0': { actions: COMMON_ACTIONS.image, price: NO_PRICE, open: true },
	},
} as const satisfies Family;

/** Spec section 9, change 4: named as the replacement of gx-imagine-1.0-video-rev. */
export const gxVideo15 = {
	title: 'Gx Imagine Video 1.5',
	media: 'video',
	fields: { ...COMMON_VIDEO_FIELDS, image_urls: publicImages },
	rules: [],
	models: {
		'gx-imagine-video-1.5-rev': { actions: COMMON_ACTIONS.video, price: NO_PRICE, open: true },
	},
} as const satisfies Family;
