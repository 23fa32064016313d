import { deleteAsset } from '../../../gateway/assets/api';
import { assetId, assetIdOf } from '../../../n8n/assetLocator';
import { underOperation, type Operation } from '../../operation';
import { concurrency, optionsOf } from '../../../n8n/options';

/** DELETE /v1/assets/{asset_id}: at once no longer referenceable (spec section 3). */
export const deleteOne: Operation<{ id: string }> = {
  properties: underOperation('asset', ['delete'], [assetId, optionsOf([concurrency])]),
  plan: (item) => ({ id: assetIdOf(item) }),
  async perform({ id }, { door }) {
    await deleteAsset(door, id);
    return [{ json: { deleted: true, id } }];
  },
};
