import type { IDataObject } from 'n8n-workflow';
import type { Asset } from '../../gateway/assets/schema';
import { GatewayError } from '../../gateway/errors';
import type { OutputItem } from './task';

const toReasonFields = (reason: Asset['reason']) =>
	reason && { reason: reason.english, reason_original: reason.original };

/** Flat, with times in ISO 8601, or the gateway's own object. */
export const assetToItem = ({ reason, raw, ...fields }: Asset, simplify: boolean): OutputItem => ({
	json: simplify ? { ...fields, ...toReasonFields(reason) } : (raw as IDataObject),
});

/** Throws for an asset that cannot be used: a failed one is final (spec section 3). */
export function assertAssetUsable(asset: Asset): void {
	const { id, status, reason } = asset;
	if (status !== 'failed') return;
	throw new GatewayError(
		'asset_rejected',
		`The asset ${id} was not accepted${reason ? `: ${reason.english}` : ''}`,
		{
			...(reason?.mayPass && { hint: 'Upload it again.' }),
			details: {
				asset_id: id,
				status,
				...(reason?.mayPass && { retry: true }),
				...toReasonFields(reason),
			},
		},
	);
}
