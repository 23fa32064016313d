import { getAsset } from '../../../gateway/assets/api';
import { assetToItem } from '../../../n8n/items/asset';
import { assetId, readAssetId } from '../../../n8n/assetLocator';
import { showUnderOperation, type Operation } from '../../operation';
import { concurrency, optionsCollection, simplify } from '../../../n8n/options';

/** GET /v1/assets/{asset_id}: the asset as it stands now, whatever its state. */
export const get: Operation<{ id: string; simplify: boolean }> = {
	properties: showUnderOperation(
		'asset',
		['get'],
		[assetId, optionsCollection([concurrency, simplify])],
	),
	plan: (item) => ({ id: readAssetId(item), simplify: item.options.simplify !== false }),
	perform: async ({ id, simplify: isFlat }, { client }) => [
		assetToItem(await getAsset(client, id), isFlat),
	],
};
