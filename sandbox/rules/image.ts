/**
 * Families gmn, qwn, imgn (section 2.3).
 *
 * | Sentence of the spec                                        | Read as |
 * |-------------------------------------------------------------|---------|
 * | gmn: `image2image` needs `image_urls`                       | hard    |
 * | gmn: "typically 1", "recommended at most 4", "several"      | taken, with a warning |
 * | gmn: `edit`, `reference` without images                     | taken, not stated |
 * | gmn: `image_urls` under `generate`                          | taken   |
 * | gmn: `search_grounded` and both searches on 3.1 only        | hard, even when false |
 * | gmn: `official_fallback` on `-official`                     | taken, with a warning |
 * | qwn: `image2image` with 1 image: exactly one                | hard    |
 * | qwn: `reference` with several: at least one                 | hard    |
 * | qwn: `n` has no upper bound                                 | open    |
 * | imgn: only `generate`, no references                        | hard    |
 * | imgn: `resolution` "leave empty"                            | taken, with a warning |
 */
import {
	getAction,
	count,
	flag,
	links,
	namesWhere,
	oneOf,
	prompt,
	text,
	whole,
	type Check,
} from './checks';
import { createFieldError, type ModelRule } from './rule';
import type { Body } from '../settings';

const countImages = (body: Body): number => (typeof body.n === 'number' ? body.n : 1);

const createImagePrice = (
	usd: number,
): Pick<ModelRule, 'calculatePrice' | 'isPriced' | 'priceConfig'> => ({
	calculatePrice: (body) => usd * countImages(body),
	isPriced: true,
	priceConfig: { currency: 'USD', unit: 'image', price: usd },
});

const ratios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];

/** "Typically 1" under `image2image` and `edit`, "recommended at most 4" under `reference`. */
const mostTypical: Record<string, number> = { image2image: 1, edit: 1, reference: 4 };

function createGmnRule(resolutions: string[], usd: number, grounded = false): ModelRule {
	const searchFields: Record<string, Check> = grounded
		? { google_search: flag, google_image_search: flag }
		: {};
	return {
		kind: 'image',
		actions: [
			'generate',
			'image2image',
			'edit',
			'reference',
			...(grounded ? ['search_grounded'] : []),
		],
		required: ['prompt'],
		defaults: {
			action: 'generate',
			n: 1,
			seed: -1,
			aspect_ratio: '1:1',
			resolution: '1K',
			google_search: false,
			google_image_search: false,
			official_fallback: false,
		},
		fields: {
			prompt: prompt(),
			n: whole(1),
			seed: whole(),
			aspect_ratio: oneOf(...ratios, ...(grounded ? ['1:4', '4:1', '1:8', '8:1'] : [])),
			resolution: oneOf(...resolutions),
			image_urls: links(),
			official_fallback: flag,
			...searchFields,
		},
		checkBetweenFields: (body) => {
			if (getAction(body) === 'image2image' && count(body, 'image_urls') === 0) {
				throw createFieldError('image_urls', 'is required by image2image');
			}
		},
		findIneffective: (body) =>
			namesWhere({
				image_urls: count(body, 'image_urls') > (mostTypical[getAction(body)] ?? Infinity),
				official_fallback: /-official$/.test(String(body.model)) && body.official_fallback === true,
			}),
		getFormat: () => 'jpg',
		...createImagePrice(usd),
	};
}

const pro = ['1K', '2K', '4K'];
const flash = ['0.5K', '1K', '2K', '4K'];

export const gmn: Record<string, ModelRule> = {
	'gmn-3-pro-image-preview-official': createGmnRule(pro, 0.1139),
	'gmn-3-pro-image-preview': createGmnRule(pro, 0.0425),
	'gmn-3.1-flash-image-preview-official': createGmnRule(flash, 0.05695, true),
	'gmn-3.1-flash-image-preview': createGmnRule(flash, 0.031875, true),
	'gmn-2.5-flash-image-preview-official': createGmnRule(['1K'], 0.03315),
	'gmn-2.5-flash-image-preview': createGmnRule(['1K'], 0.01328125),
};

const createQwnRule = (usd: number): ModelRule => ({
	kind: 'image',
	actions: ['generate', 'image2image', 'reference'],
	required: ['prompt'],
	defaults: { action: 'generate', n: 1, seed: -1, aspect_ratio: '1:1', resolution: '2K' },
	fields: {
		prompt: prompt(800),
		negative_prompt: text(500),
		n: whole(1),
		seed: whole(),
		aspect_ratio: oneOf('1:1', '4:3', '3:4', '16:9', '9:16', '3:2', '2:3'),
		resolution: oneOf('1K', '2K'),
		image_urls: links(),
	},
	checkBetweenFields: (body) => {
		const action = getAction(body);
		const references = count(body, 'image_urls');
		if (action === 'image2image' && references !== 1) {
			throw createFieldError('image_urls', 'must have exactly 1 entry under image2image');
		}
		if (action === 'reference' && references === 0)
			throw createFieldError('image_urls', 'is required by reference');
	},
	...createImagePrice(usd),
});

export const qwn: Record<string, ModelRule> = {
	'qwn-image-2.0-pro': createQwnRule(0.053125),
	'qwn-image-2.0': createQwnRule(0.02125),
};

export const imgn: Record<string, ModelRule> = {
	'imgn-4.0': {
		kind: 'image',
		actions: ['generate'],
		required: ['prompt'],
		defaults: { action: 'generate', n: 1, seed: -1, aspect_ratio: '1:1' },
		fields: {
			prompt: prompt(),
			n: whole(1),
			seed: whole(),
			aspect_ratio: oneOf('1:1', '4:3', '3:4', '16:9', '9:16'),
			resolution: text(),
		},
		findIneffective: (body) => namesWhere({ resolution: Boolean(body.resolution) }),
		getFormat: () => 'jpg',
		...createImagePrice(0.0425),
	},
};
