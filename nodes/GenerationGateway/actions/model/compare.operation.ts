import type { IDataObject } from 'n8n-workflow';
import {
	compareModels,
	describeCounts,
	hasDifferences,
	type ModelDrift,
} from '../../../catalog/drift';
import { listModels } from '../../../gateway/models/api';
import { getGatewayHost } from '../../../n8n/gatewayAddress';
import { wallTime } from '../../../n8n/systemClock';
import type { Operation } from '../../operation';

const orNull = (priceConfig: unknown) => (priceConfig ?? null) as IDataObject | null;

function toJson(drift: ModelDrift): IDataObject {
	const { listedCount, newModels, missingModels, relistedModels, movedPrices } = drift;
	return {
		has_differences: hasDifferences(drift),
		summary: describeCounts(drift),
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
			price_config: orNull(priceConfig),
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
			price_config: orNull(price.priceConfig),
		})),
		skipped_kinds: drift.skippedKinds,
	};
}

/** GET /v1/models, compared with the tables: one item with the differences. */
export const compare: Operation<undefined> = {
	properties: [],
	plan: () => undefined,
	async perform(_plan, { client, context }) {
		const compared = toJson(compareModels(await listModels(client)));
		const gateway = await getGatewayHost(context);
		const compared_at = new Date(wallTime()).toISOString();
		return [{ json: { ...compared, gateway, compared_at } }];
	},
};
