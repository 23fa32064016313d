import { listAssets } from '../../../gateway/assets/api';
import { delivered } from '../../../n8n/items/asset';
import { underOperation, type Operation } from '../../operation';
import { limitOf, optionsOf, returnAll, simplify } from '../../../n8n/options';

/** GET /v1/assets, newest first; works at zero quota (spec section 4). */
export const getAll: Operation<{ limit: number; simplify: boolean }> = {
  properties: underOperation('asset', ['getAll'], [...returnAll(false), optionsOf([simplify])]),
  plan: (item) => ({ limit: limitOf(item), simplify: item.options.simplify !== false }),
  perform: async ({ limit, simplify: isFlat }, { door }) =>
    (await listAssets(door, limit)).map((asset) => delivered(asset, isFlat)),
};
