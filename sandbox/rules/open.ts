/**
 * The legacy model, and the models that the spec names without their fields.
 *
 * | Sentence of the spec                                     | Read as |
 * |----------------------------------------------------------|---------|
 * | gp-4o-image: `n` is 1, 2 or 4 as a JSON number           | hard    |
 * | gp-4o-image: no `action` in its table                    | `generate` taken, else refused |
 * | gp-4o-image: mask is PNG of the reference's size, 4 MB   | not looked at |
 * | sdn-*, gx-imagine-video-1.5-rev, qwn-image-3.0: fields   | open: known fields are checked, others pass |
 * | qwn-image-3.0 "models ... with 1-6 images per request"   | `n` 1-6 hard |
 * | prices                                                   | not shown: sandbox-only |
 */
import type { Body } from '../settings';
import { link, links, oneOf, prompt, whole } from './checks';
import { commonDefaults, commonFields, referenceFields, type ModelRule } from './rule';

const countOutputs = (body: Body): number => (typeof body.n === 'number' ? body.n : 1);

/** Sandbox-only: a flat price per output. */
const createDemoPrice = (
	usd: number,
): Pick<ModelRule, 'calculatePrice' | 'isPriced' | 'priceConfig'> => ({
	calculatePrice: (body) => usd * countOutputs(body),
	isPriced: false,
	priceConfig: { currency: 'USD', unit: 'request', price: usd },
});

export const legacy: Record<string, ModelRule> = {
	'gp-4o-image': {
		kind: 'image',
		actions: ['generate'],
		required: ['prompt'],
		defaults: { action: 'generate' },
		fields: {
			prompt: prompt(1000),
			size: oneOf('1:1', '2:3', '3:2'),
			n: oneOf(1, 2, 4),
			image_urls: links(5),
			mask_url: link,
		},
		...createDemoPrice(0.02),
	},
};

const sdn = (usd: number): ModelRule => ({
	kind: 'video',
	isOpen: true,
	defaults: commonDefaults,
	hasAssets: true,
	fields: referenceFields,
	...createDemoPrice(usd),
});

/** `qwn-image-3.0` and whatever continues that name. */
export const qwn3: ModelRule = {
	kind: 'image',
	isOpen: true,
	defaults: commonDefaults,
	fields: { ...commonFields, n: whole(1, 6) },
	...createDemoPrice(0.04),
};

export const open: Record<string, ModelRule> = {
	'sdn-2.0': sdn(0.3),
	'sdn-2.0-fast': sdn(0.2),
	'sdn-2.0-mini': sdn(0.1),
	'sdn-2.5': sdn(0.4),
	'gx-imagine-video-1.5-rev': {
		kind: 'video',
		isOpen: true,
		defaults: commonDefaults,
		fields: commonFields,
		...createDemoPrice(0.1),
	},
	'qwn-image-3.0': qwn3,
};
