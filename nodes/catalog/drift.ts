import { pluralize } from './labels';
import { LIST_KINDS } from './listedKinds';
import { listKnownModels } from './modelList';
import { getModelKind, modelSpecs, servedSpecs, type KnownModelSpec } from './modelSpec';
import { listPrices, QUOTA_PER_USD } from './pricing';

/** A model as a gateway lists it. */
export interface OfferedModel {
	id: string;
	/** What it makes or takes. */
	type?: string;
	/** Its `price_config`, whose shape is not shown (spec section 4). */
	priceConfig?: unknown;
}

/** Differences between the models of a gateway and the tables. */
export type ModelDrift = ReturnType<typeof compareModels>;

/** Compares the list of a gateway with the tables, and with the ID lists of other kinds. */
export function compareModels(listed: readonly OfferedModel[]) {
	const byId = new Map(listed.map((model) => [model.id, model]));
	const isListed = ({ id }: { id: string }) => byId.has(id);
	const known = listKnownModels();
	// A gateway may list images and videos only.
	const skippedKinds = LIST_KINDS.filter(
		(kind) => !known.some((model) => model.kind === kind && isListed(model)),
	);
	return {
		listedCount: byId.size,
		/** Listed, but in no table. */
		newModels: [...byId.values()].filter(({ id }) => !getModelKind(id)),
		/** In a table, but not listed. */
		missingModels: known.filter((model) => !isListed(model) && !skippedKinds.includes(model.kind)),
		/** Deprecated in its table, but listed. */
		relistedModels: modelSpecs
			.filter(isListed)
			.flatMap(({ id, media: kind, deprecated }) => (deprecated ? [{ id, kind, deprecated }] : [])),
		movedPrices: servedSpecs.flatMap((spec) =>
			findMovedPrice(spec, byId.get(spec.id)?.priceConfig),
		),
		skippedKinds,
	};
}

export const hasDifferences = (drift: ModelDrift): boolean =>
	[drift.newModels, drift.missingModels, drift.relistedModels, drift.movedPrices].some(
		({ length }) => length > 0,
	);

/** `2 new, 1 missing, 0 listed again, 1 price moved` */
export function describeCounts(drift: ModelDrift): string {
	if (!hasDifferences(drift)) return 'no differences';
	const { newModels, missingModels, relistedModels, movedPrices } = drift;
	return [
		`${newModels.length} new`,
		`${missingModels.length} missing`,
		`${relistedModels.length} listed again`,
		`${pluralize(movedPrices.length, 'price')} moved`,
	].join(', ');
}

/** A price has not moved if its number stands anywhere in the configuration, in USD or quota: its shape is not shown. */
function findMovedPrice({ id, media, price }: KnownModelSpec, priceConfig: unknown) {
	const listed = [...new Set(collectNumbers(priceConfig))];
	const stated = [...new Set(listPrices(price))];
	if (!listed.length) return [];
	/** In the table, and not listed. */
	const statedUsd = stated.filter((usd) => !listed.some((number) => isPrice(number, usd)));
	if (!statedUsd.length) return [];
	/** Listed, and not in the table: in the gateway's unit. */
	const listedNumbers = listed.filter((number) => !stated.some((usd) => isPrice(number, usd)));
	return [{ id, kind: media, statedUsd, listedNumbers, priceConfig }];
}

/** Every number in a value, also as text. */
export function collectNumbers(value: unknown): number[] {
	if (typeof value === 'number') return [value];
	if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
		return [Number(value)];
	if (typeof value === 'object' && value !== null)
		return Object.values(value).flatMap(collectNumbers);
	return [];
}

/** Whether a number is this price, in USD or in quota, which may be rounded. */
const isPrice = (number: number, usd: number): boolean =>
	Math.abs(number - usd) <= 1e-9 + usd * 1e-6 || Math.abs(number - usd * QUOTA_PER_USD) < 1;
