import { listAssets } from '../../../transport/assets';
import { delivered } from '../../asset/deliver';
import { underOperation, type Operation } from '../../operation';
import { limitOf, optionsOf, returnAll, simplify } from '../../options';

/** GET /v1/assets, newest first; works at zero quota (spec section 4). */
export const getAll: Operation<{ limit: number; simplify: boolean }> = {
  properties: underOperation('asset', ['getAll'], [...returnAll(false), optionsOf([simplify])]),
  plan: (item) => ({ limit: limitOf(item), simplify: item.options.simplify !== false }),
  perform: async ({ limit, simplify: isFlat }, { door }) =>
    (await listAssets(door, limit)).map((asset) => delivered(asset, isFlat)),
};
