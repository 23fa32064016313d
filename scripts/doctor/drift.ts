import { modelSpecs, type ModelSpec } from '../../nodes/catalog/modelSpec';
import { QUOTA_PER_USD } from '../../nodes/catalog/quota';
import type { ListedModel } from '../../nodes/gateway/models/schema';

/** Where the live service and the tables disagree. */
export interface Drift {
	kind: 'missing' | 'unknown' | 'price' | 'gone';
	model: string;
	says: string;
}

const MEDIA = /image|video/i;

/** Every number anywhere in a price configuration, whose shape is not shown. */
export function numbersIn(value: unknown): number[] {
	if (typeof value === 'number') return [value];
	if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
		return [Number(value)];
	if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(numbersIn);
	return [];
}

function statedPrices({ price }: ModelSpec): number[] {
	if (price.per === 'unknown') return [];
	if (price.per === 'image') return [price.usd];
	return [price, ...(price.overrides ?? [])].flatMap(({ usd }) => numbersIn(usd));
}

const near = (a: number, b: number) => Math.abs(a - b) <= 1e-9 + Math.abs(b) * 1e-6;

function priceDrift(spec: ModelSpec, { priceConfig }: ListedModel): Drift[] {
	const live = numbersIn(priceConfig);
	if (!live.length) return [];
	const absent = statedPrices(spec).filter(
		(usd) => !live.some((number) => near(number, usd) || near(number, usd * QUOTA_PER_USD)),
	);
	if (!absent.length) return [];
	const says = `the tables say ${[...new Set(absent)].join(', ')} USD, the gateway lists ${live.join(', ')}`;
	return [{ kind: 'price', model: spec.id, says }];
}

/**
 * Compares what the gateway lists with the image and video models of the tables. A live price counts as
 * unchanged when the stated number stands anywhere in its configuration, as USD or as quota.
 */
export function driftOf(listed: readonly ListedModel[]): Drift[] {
	const byId = new Map(listed.map((model) => [model.id, model]));
	const known = new Set(modelSpecs.map(({ id }) => id));
	const fromTables = modelSpecs.flatMap((spec): Drift[] => {
		const live = byId.get(spec.id);
		if (spec.deprecated)
			return live
				? [
						{
							kind: 'gone',
							model: spec.id,
							says: `${spec.deprecated.reason} in the tables, still listed`,
						},
					]
				: [];
		if (!live) return [{ kind: 'missing', model: spec.id, says: 'in the tables, not listed' }];
		return priceDrift(spec, live);
	});
	const fromService = listed
		.filter(({ id, type }) => !known.has(id) && MEDIA.test(type ?? ''))
		.map(({ id, type }): Drift => ({
			kind: 'unknown',
			model: id,
			says: `listed as ${type}, in no table`,
		}));
	return [...fromTables, ...fromService];
}
