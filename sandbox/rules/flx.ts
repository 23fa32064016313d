/**
 * Family flx (section 2.3).
 *
 * | Sentence of the spec                                          | Read as |
 * |---------------------------------------------------------------|---------|
 * | `edit` requires an image, `generate` takes none               | hard    |
 * | references at most 8 / 4, `n` only 1                          | hard    |
 * | `resolution` on flx-ctx-*                                     | hard    |
 * | `resolution` out of tier on flx-2-* "settles at the fallback price" | taken |
 * | `steps`, `guidance` on flx-2-flex only                        | hard    |
 * | output plus references at most 9 MP; unreadable size          | hard, sizes by `settings.imageSize` |
 * | prices                                                        | not shown: sandbox-only numbers in the spec's formula |
 */
import type { Body } from '../settings';
import {
	anyText,
	getAction,
	count,
	flag,
	links,
	oneOf,
	prompt,
	real,
	whole,
	type Check,
	type CheckContext,
} from './checks';
import { createFieldError, type ModelRule } from './rule';

const megapixel = 1024 * 1024;
const tiers = ['1mp', '2mp', '3mp', '4mp'];

/** Megapixels of the output: an omitted or out-of-tier resolution counts as 2. */
const outputOf = (body: Body): number => {
	const tier = tiers.indexOf(String(body.resolution));
	return tier < 0 ? 2 : tier + 1;
};

function referencesOf(body: Body, { settings }: CheckContext): number[] {
	const list = Array.isArray(body.image_urls) ? body.image_urls : [];
	return list.map((item) => {
		const size = settings.imageSize(String(item));
		if (size === undefined)
			throw createFieldError('image_urls', 'has an image whose dimensions cannot be read');
		return (size.width * size.height) / megapixel;
	});
}

function checkBetweenFields(output: (body: Body) => number) {
	return (body: Body, context: CheckContext): void => {
		const references = count(body, 'image_urls');
		if (getAction(body) === 'edit' && references === 0)
			throw createFieldError('image_urls', 'is required by edit');
		if (getAction(body) === 'generate' && references > 0) {
			throw createFieldError('image_urls', 'is not taken by generate; use the action edit');
		}
		const total = referencesOf(body, context).reduce((sum, size) => sum + size, output(body));
		if (total > 9) throw createFieldError('image_urls', 'and the output together exceed 9 MP');
	};
}

const shared: Record<string, Check> = {
	prompt: prompt(),
	aspect_ratio: oneOf('1:1', '4:3', '3:4', '16:9', '9:16', '3:2', '2:3', '21:9', '9:21', 'auto'),
	n: oneOf(1),
	seed: whole(),
	output_format: oneOf('jpeg', 'png', 'webp'),
	prompt_upsampling: flag,
};

const defaults = {
	action: 'generate',
	aspect_ratio: '1:1',
	n: 1,
	prompt_upsampling: false,
	safety_tolerance: 2,
	steps: 50,
	guidance: 5,
};

const formats: Record<string, 'jpg' | 'png' | 'webp'> = { jpeg: 'jpg', png: 'png', webp: 'webp' };

/** Sandbox-only prices: USD at 1mp to 4mp. */
function second(
	prices: [number, number, number, number],
	fields: Record<string, Check> = {},
): ModelRule {
	return {
		kind: 'image',
		actions: ['generate', 'edit'],
		required: ['prompt'],
		defaults: { ...defaults, resolution: '2mp', output_format: 'jpeg' },
		fields: {
			...shared,
			image_urls: links(8),
			resolution: anyText(...tiers),
			safety_tolerance: whole(0, 5),
			...fields,
		},
		checkBetweenFields: checkBetweenFields(outputOf),
		calculatePrice: (body, context) => {
			const at = (tier: number): number => prices[Math.min(Math.max(tier, 1), 4) - 1] as number;
			const references = referencesOf(body, context);
			const fee =
				references.length === 1
					? at(Math.ceil(references[0] as number))
					: references.length * at(1);
			return at(outputOf(body)) + fee / 2;
		},
		countOutputs: () => 1,
		getFormat: (body) => formats[String(body.output_format)] ?? 'jpg',
		isPriced: false,
		priceConfig: {
			currency: 'USD',
			unit: 'image',
			tiers: Object.fromEntries(tiers.map((name, i) => [name, prices[i]])),
		},
	};
}

/** Sandbox-only price: USD per image. */
function context(usd: number): ModelRule {
	return {
		kind: 'image',
		actions: ['generate', 'edit'],
		required: ['prompt'],
		defaults: { ...defaults, output_format: 'png' },
		fields: { ...shared, image_urls: links(4), safety_tolerance: whole(0, 6) },
		checkBetweenFields: checkBetweenFields(() => 1),
		calculatePrice: () => usd,
		countOutputs: () => 1,
		getFormat: (body) => formats[String(body.output_format)] ?? 'png',
		isPriced: false,
		priceConfig: { currency: 'USD', unit: 'image', price: usd },
	};
}

export const flx: Record<string, ModelRule> = {
	'flx-2-pro': second([0.02, 0.03, 0.04, 0.05]),
	'flx-2-max': second([0.04, 0.06, 0.08, 0.1]),
	'flx-2-flex': second([0.03, 0.05, 0.07, 0.09], { steps: whole(1, 50), guidance: real(1.5, 10) }),
	'flx-ctx-pro': context(0.03),
	'flx-ctx-max': context(0.06),
};
