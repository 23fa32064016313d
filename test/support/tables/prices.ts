import type { Family, Rate, When } from '../../../nodes/catalog/families';
import type { KnownModelSpec } from '../../../nodes/catalog/modelSpec';
import { isPossible, unknownNames } from './conditions';

type Tier = { usd: Rate; when?: When };

function* rateProblems({ usd, when }: Tier, { fields }: KnownModelSpec): Generator<string> {
	const where = when ? ` when ${JSON.stringify(when)}` : '';
	const amounts = typeof usd === 'number' ? [usd] : Object.values(usd);
	if (amounts.some((amount) => typeof amount === 'number' && !(amount > 0)))
		yield `has a price${where} that is not above 0`;
	if (typeof usd === 'number') return;
	const accepted = fields.resolution?.enum;
	if (!accepted) {
		yield `has prices by resolution${where}, but lists no resolutions`;
		return;
	}
	const needed = when?.is?.resolution ?? accepted;
	for (const resolution of Object.keys(usd))
		if (!accepted.includes(resolution))
			yield `has a price for ${resolution}${where}, but does not take that resolution`;
	for (const resolution of needed)
		if (!Object.hasOwn(usd, String(resolution)))
			yield `has no price for ${resolution}${where}; state it, or write 'unstated'`;
}

/** What is wrong with the price of one model. */
export function* priceProblems(spec: KnownModelSpec, family: Family): Generator<string> {
	const { price, fields } = spec;
	if (price.per === 'unknown') {
		if (!price.description) yield 'has an unknown price without a word about it';
		return;
	}
	const { duration } = fields;
	if (price.per === 'second' && duration?.default === undefined && !duration?.required)
		yield 'has a price per second, but no duration that is required or has a default';
	const overrides: readonly Required<Tier>[] = price.overrides ?? [];
	for (const tier of [{ usd: price.usd }, ...overrides]) yield* rateProblems(tier, spec);
	for (const { when } of overrides) {
		const unknown = [...unknownNames(when, family)];
		for (const name of unknown) yield `has a price for ${name}, which the family does not have`;
		if (!unknown.length && !isPossible(when, spec))
			yield `has a price when ${JSON.stringify(when)}, which can never be`;
	}
}
