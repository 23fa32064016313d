import { listAssets } from '../../../gateway/assets/api';
import { assetToItem } from '../../../n8n/items/asset';
import { limitProperties, optionsCollection, readLimit, simplify } from '../../../n8n/options';
import type { Operation } from '../../operation';

/** GET /v1/assets, newest first; works at zero quota (spec section 4). */
export const getAll: Operation<{ limit?: number; simplify: boolean }> = {
	properties: [...limitProperties(false), optionsCollection([simplify])],
	plan: (item) => ({ limit: readLimit(item), simplify: item.option(simplify) }),
	perform: async (plan, { client }) =>
		(await listAssets(client, plan.limit)).map((asset) => assetToItem(asset, plan.simplify)),
};
