import { deleteAsset } from '../../../gateway/assets/api';
import { assetIdProperty, readAssetId } from '../../../n8n/assetLocator';
import { concurrency, optionsCollection } from '../../../n8n/options';
import type { PaidRow } from '../../account/rowMemory';
import type { Operation } from '../../operation';

/** DELETE /v1/assets/{asset_id}: at once no longer referenceable (spec section 3). */
export const deleteOne: Operation<{ id: string; row: PaidRow }> = {
	properties: [assetIdProperty, optionsCollection([concurrency])],
	async plan(item, { client, rows }) {
		const id = readAssetId(item);
		const account = await client.context.account?.();
		return { id, row: rows.find(item.index, [account, id]) };
	},
	async perform({ id, row }, { client }) {
		if (!row.outputs) await deleteAsset(client, id);
		return (row.outputs = [{ json: { deleted: true, id } }]);
	},
};
