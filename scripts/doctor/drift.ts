import { modelSpecs, type ModelSpec } from '../../nodes/catalog/modelSpec';
import { QUOTA_PER_USD } from '../../nodes/catalog/quota';
import type { ListedModel } from '../../nodes/gateway/models/schema';

/** Where the live service and the tables disagree. */
export interface Drift {
	kind: 'missing' | 'unknown' | 'price' | 'gone';
	model: string;
	message: string;
}

const MEDIA = /image|video/i;

/** Every number anywhere in a price configuration, whose shape is not shown. */
export function collectNumbers(value: unknown): number[] {
	if (typeof value === 'number') return [value];
	if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
		return [Number(value)];
	if (typeof value === 'object' && value !== null)
		return Object.values(value).flatMap(collectNumbers);
	return [];
}

function listPrices({ price }: ModelSpec): number[] {
	if (price.per === 'unknown') return [];
	if (price.per === 'image') return [price.usd];
	return [price, ...(price.overrides ?? [])].flatMap(({ usd }) => collectNumbers(usd));
}

const isNear = (a: number, b: number) => Math.abs(a - b) <= 1e-9 + Math.abs(b) * 1e-6;

function findPriceDrift(spec: ModelSpec, { priceConfig }: ListedModel): Drift[] {
	const live = collectNumbers(priceConfig);
	if (!live.length) return [];
	const absent = listPrices(spec).filter(
		(usd) => !live.some((number) => isNear(number, usd) || isNear(number, usd * QUOTA_PER_USD)),
	);
	if (!absent.length) return [];
	const message = `the tables say ${[...new Set(absent)].join(', ')} USD, the gateway lists ${live.join(', ')}`;
	return [{ kind: 'price', model: spec.id, message }];
}

/**
 * Compares what the gateway lists with the image and video models of the tables. A live price counts as
 * unchanged when the stated number stands anywhere in its configuration, as USD or as quota.
 */
export function findDrift(listed: readonly ListedModel[]): Drift[] {
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
							message: `${spec.deprecated.reason} in the tables, still listed`,
						},
					]
				: [];
		if (!live) return [{ kind: 'missing', model: spec.id, message: 'in the tables, not listed' }];
		return findPriceDrift(spec, live);
	});
	const fromService = listed
		.filter(({ id, type }) => !known.has(id) && MEDIA.test(type ?? ''))
		.map(({ id, type }): Drift => ({
			kind: 'unknown',
			model: id,
			message: `listed as ${type}, in no table`,
		}));
	return [...fromTables, ...fromService];
}
