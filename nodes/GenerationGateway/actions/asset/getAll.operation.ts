import { listAssets } from '../../../gateway/assets/api';
import { assetToItem } from '../../../n8n/items/asset';
import { showUnderOperation, type Operation } from '../../operation';
import { readLimit, optionsCollection, returnAll, simplify } from '../../../n8n/options';

/** GET /v1/assets, newest first; works at zero quota (spec section 4). */
export const getAll: Operation<{ limit: number; simplify: boolean }> = {
	properties: showUnderOperation(
		'asset',
		['getAll'],
		[...returnAll(false), optionsCollection([simplify])],
	),
	plan: (item) => ({ limit: readLimit(item), simplify: item.options.simplify !== false }),
	perform: async ({ limit, simplify: isFlat }, { client }) =>
		(await listAssets(client, limit)).map((asset) => assetToItem(asset, isFlat)),
};
