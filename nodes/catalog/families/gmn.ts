import { choice, images, prompt, requires, toggle } from './shapes';
import type { Family } from '../schema';

const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const;
const WIDE_RATIOS = [...RATIOS, '1:4', '4:1', '1:8', '8:1'] as const;
const ACTIONS = ['generate', 'image2image', 'edit', 'reference'] as const;
const GROUNDED = [...ACTIONS, 'search_grounded'] as const;
const SEARCH = ['google_search', 'google_image_search'] as const;
const OFFICIAL = [
	'gmn-3-pro-image-preview-official',
	'gmn-3.1-flash-image-preview-official',
	'gmn-2.5-flash-image-preview-official',
] as const;

const pro = { actions: ACTIONS, omit: SEARCH } as const;
const flash31 = {
	actions: GROUNDED,
	fields: { aspect_ratio: { enum: WIDE_RATIOS }, resolution: { enum: ['0.5K', '1K', '2K', '4K'] } },
} as const;
const flash25 = {
	actions: ACTIONS,
	omit: SEARCH,
	fields: { resolution: { enum: ['1K'] } },
} as const;

/** USD per image on the official channel, by series. */
const OFFICIAL_USD = { pro: 0.1139, flash31: 0.05695, flash25: 0.03315 } as const;

/** The spec does not state the price of a fallback. The estimate takes the official price, so that cost limits hold. */
const standard = (usd: number, officialUsd: number) =>
	({
		per: 'image',
		usd,
		overrides: [{ when: { is: { official_fallback: [true] } }, usd: officialUsd, assumed: true }],
	}) as const;
const official = (usd: number) => ({ per: 'image', usd }) as const;

/** Spec section 2.3, family gmn. */
export const gmn = {
	title: 'Gmn',
	media: 'image',
	fields: {
		prompt: prompt('What the image shows, or what to change in it'),
		image_urls: images('Public links to images', {
			file: { formats: ['jpg', 'png', 'webp'], mostMb: 30 },
			actions: ['image2image', 'edit', 'reference'],
		}),
		aspect_ratio: choice('Shape of the image', RATIOS, '1:1'),
		resolution: choice('Size of the image', ['1K', '2K', '4K'], '1K'),
		n: { type: 'integer', min: 1, default: 1, description: 'Number of images to create' },
		seed: { type: 'integer', default: -1, description: 'Random seed; -1 for a new one each time' },
		google_search: toggle(
			'Whether to augment the prompt with a web text search, which may take longer',
		),
		google_image_search: toggle(
			'Whether to augment the prompt with a web image search, which may take longer',
		),
		official_fallback: toggle(
			'Whether the task may switch to the official channel at runtime, which may cost more',
		),
	},
	rules: [
		requires('image2image', 'image_urls'),
		requires('edit', 'image_urls'),
		requires('reference', 'image_urls'),
		{
			rule: 'recommends',
			when: { action: ['image2image', 'edit'] },
			field: 'image_urls',
			to: { maxItems: 1 },
			description: 'Image to Image and Edit typically take one image; use Reference for several',
		},
		{
			rule: 'recommends',
			when: { action: ['reference'] },
			field: 'image_urls',
			to: { maxItems: 4 },
			description: 'Reference works best with up to 4 images',
		},
		{
			rule: 'ignored',
			when: { models: OFFICIAL },
			fields: ['official_fallback'],
			description: 'Official Fallback has no typical use on a model of the official channel',
		},
	],
	models: {
		'gmn-3-pro-image-preview': { ...pro, price: standard(0.0425, OFFICIAL_USD.pro) },
		'gmn-3-pro-image-preview-official': { ...pro, price: official(OFFICIAL_USD.pro) },
		'gmn-3.1-flash-image-preview': { ...flash31, price: standard(0.031875, OFFICIAL_USD.flash31) },
		'gmn-3.1-flash-image-preview-official': { ...flash31, price: official(OFFICIAL_USD.flash31) },
		'gmn-2.5-flash-image-preview': {
			...flash25,
			price: standard(0.01328125, OFFICIAL_USD.flash25),
		},
		'gmn-2.5-flash-image-preview-official': { ...flash25, price: official(OFFICIAL_USD.flash25) },
	},
	files: ['Output: JPG, link valid for 24 hours'],
} as const satisfies Family;
