import type { IDataObject } from 'n8n-workflow';
import type { Asset } from '../../gateway/assets/schema';
import { GatewayError } from '../../gateway/errors';
import type { OutputItem } from './task';

const reasonOf = ({ reason }: Asset) =>
	reason && { reason: reason.english, reason_original: reason.original };

/** Flat, with times in ISO 8601, or the gateway's own object. */
export function assetToItem(asset: Asset, simplify: boolean): OutputItem {
	if (!simplify) return { json: asset.raw as IDataObject };
	const { id, model, type, name, status, durationSeconds, createdAt, updatedAt, assetUrl } = asset;
	return {
		json: {
			id,
			model: model ?? null,
			type: type ?? null,
			name: name ?? null,
			status,
			duration_seconds: durationSeconds ?? null,
			created_at: createdAt ?? null,
			updated_at: updatedAt ?? null,
			asset_url: assetUrl ?? null,
			...reasonOf(asset),
		},
	};
}

/** Throws for an asset that cannot be used: a failed one is final (spec section 3). */
export function assertAssetUsable(asset: Asset): void {
	const { id, status, reason } = asset;
	if (status !== 'failed') return;
	throw new GatewayError(
		'asset_rejected',
		`The asset ${id} was not accepted${reason ? `: ${reason.english}` : ''}`,
		{ details: { asset_id: id, status, ...reasonOf(asset) } },
	);
}
