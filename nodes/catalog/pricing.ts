import { getOwn, toText } from './json';
import type { Price, When } from './schema';
import { matches, type RequestBody } from './rules';
import type { ModelSpec } from './modelSpec';

/** 500,000 quota are 1 USD: spec section 1.5. */
export const QUOTA_PER_USD = 500_000;

/** Rounded to millionths. */
export const quotaToUsd = (quota: number): number => Number((quota / QUOTA_PER_USD).toFixed(6));

/** In cents, or with as many digits as it has: `$0.10`, `$0.0425`. */
export const formatUsd = (usd: number): string =>
	`$${usd.toFixed(6).replace(/(\.\d\d\d*?)0+$/, '$1')}`;

export const formatQuota = (quota: number): string => formatUsd(quotaToUsd(quota));

interface Cost {
	quota: number;
	usd: number;
}

/** `atLeast`: of the chosen model, where a fallback has no price. */
export type CostEstimate = Cost | { unknown: string; atLeast?: Cost };

/** Rounded up to whole quota. Floating-point errors do not count. */
export const usdToQuota = (usd: number): number =>
	Math.ceil(Number((usd * QUOTA_PER_USD).toFixed(4)));

export const amount = (usd: number): Cost => {
	const quota = usdToQuota(usd);
	return { quota, usd: quotaToUsd(quota) };
};

/**
 * The cost of a request that succeeds, by the stated prices (spec sections 1.5 and 2.3): images x price, or
 * seconds x price of the tier. `unknown` says why none is known.
 */
export function estimateCost(spec: ModelSpec, body: RequestBody): CostEstimate {
	const { price } = spec;
	const valueOf = (name: string) => body[name] ?? spec.fields[name]?.default;
	if (price.per === 'unknown') return { unknown: price.description };
	const tier =
		price.overrides?.find(({ when }: { when: When }) => matches(when, spec, body)) ?? price;
	if (price.per === 'image') return amount(Number(tier.usd) * Number(valueOf('n') ?? 1));
	const resolution = valueOf('resolution');
	const usd = typeof tier.usd === 'number' ? tier.usd : getOwn(tier.usd, toText(resolution));
	if (typeof usd !== 'number')
		return { unknown: `No price is stated for this combination at ${toText(resolution)}` };
	return amount(usd * Number(valueOf('duration')));
}

/** Every price that the spec states, in USD. */
export function listPrices(price: Price): number[] {
	if (price.per === 'unknown') return [];
	const stated = (price.overrides ?? []).filter((tier) => !('assumed' in tier));
	return [price, ...stated]
		.flatMap(({ usd }) => (typeof usd === 'number' ? [usd] : Object.values(usd)))
		.filter((usd) => typeof usd === 'number');
}

/** The highest of the costs of several models, the chosen one first. Unknown where one of them is. */
export function findDearest(estimates: readonly CostEstimate[]): CostEstimate {
	const [chosen] = estimates;
	const unpriced = estimates.find((estimate) => 'unknown' in estimate);
	if (unpriced) return chosen && 'quota' in chosen ? { ...unpriced, atLeast: chosen } : unpriced;
	return estimates.reduce((a, b) => ((b as Cost).quota > (a as Cost).quota ? b : a));
}
