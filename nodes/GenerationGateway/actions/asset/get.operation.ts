import { getAsset } from '../../../gateway/assets/api';
import { assetIdProperty, readAssetId } from '../../../n8n/assetLocator';
import { assetToItem } from '../../../n8n/items/asset';
import { concurrency, optionsCollection, simplify } from '../../../n8n/options';
import type { Operation } from '../../operation';

/** GET /v1/assets/{asset_id}: the current state of an asset. */
export const get: Operation<{ id: string; simplify: boolean }> = {
	properties: [assetIdProperty, optionsCollection([concurrency, simplify])],
	plan: (item) => ({ id: readAssetId(item), simplify: item.option(simplify) }),
	perform: async (plan, { client }) => [
		assetToItem(await getAsset(client, plan.id), plan.simplify),
	],
};
