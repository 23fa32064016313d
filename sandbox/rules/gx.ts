/**
 * Family gx-imagine, images (section 2.3).
 *
 * | Sentence of the spec                                            | Read as |
 * |-----------------------------------------------------------------|---------|
 * | `edit` requires `image_urls`, counts per model                  | hard    |
 * | references under `generate`: only 1.5-rev ("also under generate") | hard  |
 * | -2.0-rev takes no references                                    | hard    |
 * | `quality` only on -2.0, only under `generate`, not with references | hard |
 * | `resolution` only on the three official models                  | hard    |
 * | an unsupported `resolution` value "settles at the fallback price" | taken |
 * | `aspect_ratio` absent on 1.5-edit-rev                           | hard    |
 * | `n` 1-10 / 1-12                                                 | hard    |
 * | gx-imagine-image returns one image under `edit`                 | `n` taken, one image, one price |
 * | prices                                                          | not shown: sandbox-only numbers in the spec's formula |
 */
import type { Body } from '../settings';
import {
	anyText,
	getAction,
	count,
	isGiven,
	links,
	namesWhere,
	oneOf,
	prompt,
	whole,
	type Check,
} from './checks';
import { commonDefaults, createFieldError, type ModelRule } from './rule';

const RATIOS_14 = [
	'auto',
	'1:1',
	'3:4',
	'4:3',
	'9:16',
	'16:9',
	'2:3',
	'3:2',
	'9:19.5',
	'19.5:9',
	'9:20',
	'20:9',
	'1:2',
	'2:1',
];
const RATIOS_7 = ['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9'];
const RATIOS_5 = ['1:1', '16:9', '9:16', '3:2', '2:3'];

interface ImageOptions {
	edit: boolean;
	most: number;
	ratios?: string[];
	defaults?: Body;
	official?: boolean;
	quality?: boolean;
	references: number;
	underGenerate?: boolean;
	/** Sandbox-only USD per image at 1k and 2k, and per reference. */
	prices: { '1k': number; '2k': number; reference: number };
	/** One image under `edit`, whatever `n` says. */
	singleEdit?: boolean;
	/** References charged once per request instead of once per output. */
	onceCharged?: boolean;
}

const countOutputs = (options: ImageOptions, body: Body): number =>
	options.singleEdit && getAction(body) === 'edit' ? 1 : typeof body.n === 'number' ? body.n : 1;

function calculatePrice(options: ImageOptions, body: Body): number {
	const base = body.resolution === '2k' ? options.prices['2k'] : options.prices['1k'];
	const tier = body.quality === 'low' ? base / 2 : base;
	const outputs = countOutputs(options, body);
	const references = options.prices.reference * count(body, 'image_urls');
	return options.onceCharged ? tier * outputs + references : (tier + references) * outputs;
}

function createFieldCheck(options: ImageOptions) {
	return (body: Body): void => {
		const references = count(body, 'image_urls');
		const action = getAction(body);
		if (isGiven(body, 'quality') && (action !== 'generate' || references > 0)) {
			throw createFieldError('quality', 'is only taken under generate, without references');
		}
		if (action === 'edit' && references === 0)
			throw createFieldError('image_urls', 'is required by edit');
		if (action === 'generate' && references > 0 && !options.underGenerate) {
			throw createFieldError('image_urls', 'is not taken by generate; use the action edit');
		}
	};
}

function createRule(options: ImageOptions): ModelRule {
	const fields: Record<string, Check> = { prompt: prompt(), n: whole(1, options.most) };
	if (options.ratios) fields.aspect_ratio = oneOf(...options.ratios);
	if (options.official) fields.resolution = anyText('1k', '2k');
	if (options.quality) fields.quality = oneOf('low', 'medium');
	if (options.references > 0) fields.image_urls = links(options.references);
	return {
		kind: 'image',
		actions: options.edit ? ['generate', 'edit'] : ['generate'],
		required: ['prompt'],
		defaults: {
			...commonDefaults,
			...(options.official && { aspect_ratio: 'auto', resolution: '1k' }),
			...options.defaults,
		},
		fields,
		checkBetweenFields: createFieldCheck(options),
		findIneffective: (body) =>
			namesWhere({ n: countOutputs(options, body) !== Number(body.n ?? 1) }),
		calculatePrice: (body) => calculatePrice(options, body),
		countOutputs: (body) => countOutputs(options, body),
		getFormat: () => 'jpg',
		isPriced: false,
		priceConfig: { currency: 'USD', unit: 'image', ...options.prices },
	};
}

const createFlatPrices = (usd: number): ImageOptions['prices'] => ({
	'1k': usd,
	'2k': usd,
	reference: 0,
});
const official = { edit: true, most: 10, ratios: RATIOS_14, official: true };

export const gx: Record<string, ModelRule> = {
	'gx-imagine-image': createRule({
		...official,
		references: 5,
		singleEdit: true,
		prices: { '1k': 0.02, '2k': 0.02, reference: 0.002 },
	}),
	'gx-imagine-image-quality': createRule({
		...official,
		references: 3,
		prices: { '1k': 0.05, '2k': 0.07, reference: 0.01 },
	}),
	'gx-imagine-image-2.0': createRule({
		...official,
		references: 3,
		quality: true,
		onceCharged: true,
		prices: { '1k': 0.04, '2k': 0.06, reference: 0.01 },
	}),
	'gx-imagine-image-2.0-rev': createRule({
		edit: false,
		most: 12,
		ratios: RATIOS_7,
		defaults: { aspect_ratio: '1:1' },
		references: 0,
		prices: createFlatPrices(0.01),
	}),
	'gx-imagine-1.5-rev': createRule({
		edit: false,
		most: 10,
		ratios: RATIOS_5,
		references: 5,
		underGenerate: true,
		prices: createFlatPrices(0.01),
	}),
	'gx-imagine-1.5-edit-rev': createRule({
		edit: true,
		most: 10,
		references: 5,
		prices: createFlatPrices(0.01),
	}),
};
