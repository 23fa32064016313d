import type { IDataObject } from 'n8n-workflow';
import { hasDifferences, type ModelDrift } from '../../catalog/drift';
import { describeCounts, describeDrift, type DriftSource } from '../../catalog/driftReport';
import type { OutputItem } from './task';

/** The item of a comparison: what differs as lists, and the report on it as Markdown. */
export function driftToItem(drift: ModelDrift, source: DriftSource): OutputItem {
	const { listedCount, newModels, missingModels, relistedModels, movedPrices } = drift;
	return {
		json: {
			has_differences: hasDifferences(drift),
			summary: describeCounts(drift),
			gateway: source.host,
			compared_at: new Date(source.at).toISOString(),
			counts: {
				listed: listedCount,
				new_models: newModels.length,
				missing_models: missingModels.length,
				relisted_models: relistedModels.length,
				moved_prices: movedPrices.length,
			},
			new_models: newModels.map(({ id, type, priceConfig }) => ({
				id,
				type: type ?? null,
				price_config: toJson(priceConfig),
			})),
			missing_models: missingModels.map(({ id, kind: type }) => ({ id, type })),
			relisted_models: relistedModels.map(({ id, kind: type, deprecated }) => ({
				id,
				type,
				reason: deprecated.reason,
				successor: deprecated.replacement ?? null,
			})),
			moved_prices: movedPrices.map(({ id, kind: type, ...price }) => ({
				id,
				type,
				stated_usd: price.statedUsd,
				listed_numbers: price.listedNumbers,
				price_config: toJson(price.priceConfig),
			})),
			skipped_kinds: drift.skippedKinds,
			report: describeDrift(drift, source),
		},
	};
}

const toJson = (priceConfig: unknown) => (priceConfig ?? null) as IDataObject | null;
