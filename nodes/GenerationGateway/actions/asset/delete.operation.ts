import { deleteAsset } from '../../../gateway/assets/api';
import { assetId, readAssetId } from '../../../n8n/assetLocator';
import { showUnderOperation, type Operation } from '../../operation';
import { concurrency, optionsCollection } from '../../../n8n/options';

/** DELETE /v1/assets/{asset_id}: at once no longer referenceable (spec section 3). */
export const deleteOne: Operation<{ id: string }> = {
	properties: showUnderOperation('asset', ['delete'], [assetId, optionsCollection([concurrency])]),
	plan: (item) => ({ id: readAssetId(item) }),
	async perform({ id }, { client }) {
		await deleteAsset(client, id);
		return [{ json: { deleted: true, id } }];
	},
};
