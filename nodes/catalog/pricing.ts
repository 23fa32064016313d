import type { Rate, When } from './families';
import { QUOTA_PER_USD, usdOf } from './quota';
import { textOf } from './labels';
import { own } from './getOwn';
import { holds, type Body } from './rules';
import type { Sheet } from './modelSpec';

export interface Amount {
  /** Whole quota units. */
  quota: number;
  usd: number;
}

export type Estimate = Amount | { unknown: string };

/** USD to whole quota, never below the price; a rounding error of the product is not a unit. */
export const quotaOf = (usd: number): number => Math.ceil(Number((usd * QUOTA_PER_USD).toFixed(4)));

const amount = (usd: number): Amount => {
  const quota = quotaOf(usd);
  return { quota, usd: usdOf(quota) };
};

const rateAt = (rate: Rate, resolution: unknown) =>
  typeof rate === 'number' ? rate : own(rate, textOf(resolution));

/**
 * What a checked request will cost when it succeeds, from the prices the spec states (sections 1.5
 * and 2.3): images x price, or seconds x price of the tier. Where no price is stated, says so.
 */
export function estimate(sheet: Sheet, body: Body): Estimate {
  const { price } = sheet;
  const valueOf = (name: string) => body[name] ?? sheet.fields[name]?.default;
  if (price.per === 'unknown') return { unknown: price.says };
  const tier = price.instead?.find(({ when }: { when: When }) => holds(when, sheet, body)) ?? price;
  if (price.per === 'image') return amount(Number(tier.usd) * Number(valueOf('n') ?? 1));
  const resolution = valueOf('resolution');
  const usd = rateAt(tier.usd, resolution);
  if (usd === undefined)
    return { unknown: `No price is stated for this combination at ${textOf(resolution)}` };
  return amount(usd * Number(valueOf('duration')));
}
