import { deleteAsset } from '../../../gateway/assets/api';
import { assetIdProperty, readAssetId } from '../../../n8n/assetLocator';
import { concurrency, optionsCollection } from '../../../n8n/options';
import type { Operation } from '../../operation';

/** DELETE /v1/assets/{asset_id}: at once no longer referenceable (spec section 3). */
export const deleteOne: Operation<{ id: string }> = {
	properties: [assetIdProperty, optionsCollection([concurrency])],
	keepsOutputs: true,
	plan: (item) => ({ id: readAssetId(item) }),
	async perform({ id }, { client }) {
		await deleteAsset(client, id);
		return [{ json: { deleted: true, id } }];
	},
};
