import { getAsset } from '../../../gateway/assets/api';
import { delivered } from '../../../n8n/items/asset';
import { assetId, assetIdOf } from '../../../n8n/assetLocator';
import { underOperation, type Operation } from '../../operation';
import { concurrency, optionsOf, simplify } from '../../../n8n/options';

/** GET /v1/assets/{asset_id}: the asset as it stands now, whatever its state. */
export const get: Operation<{ id: string; simplify: boolean }> = {
  properties: underOperation('asset', ['get'], [assetId, optionsOf([concurrency, simplify])]),
  plan: (item) => ({ id: assetIdOf(item), simplify: item.options.simplify !== false }),
  perform: async ({ id, simplify: isFlat }, { door }) => [delivered(await getAsset(door, id), isFlat)],
};
