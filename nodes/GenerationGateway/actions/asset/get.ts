import { getAsset } from '../../../transport/assets';
import { delivered } from '../../asset/deliver';
import { assetId, assetIdOf } from '../../asset/locator';
import { underOperation, type Operation } from '../../operation';
import { concurrency, optionsOf, simplify } from '../../options';

/** GET /v1/assets/{asset_id}: the asset as it stands now, whatever its state. */
export const get: Operation<{ id: string; simplify: boolean }> = {
  properties: underOperation('asset', ['get'], [assetId, optionsOf([concurrency, simplify])]),
  plan: (item) => ({ id: assetIdOf(item), simplify: item.options.simplify !== false }),
  perform: async ({ id, simplify: isFlat }, { door }) => [delivered(await getAsset(door, id), isFlat)],
};
