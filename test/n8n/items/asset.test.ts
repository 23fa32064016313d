import { readAsset } from '../../../nodes/gateway/assets/schema';
import { assertAssetUsable, assetToItem } from '../../../nodes/n8n/items/asset';
import { catchError } from '../../support/gatewayClient';
import { assertOutputSchema } from '../../support/outputSchema';

describe('the item of an asset', () => {
	const raw = {
		id: 'ast_1',
		model: 'sdn-2.0',
		type: 'video',
		name: 'Harbour',
		status: 'failed',
		duration_seconds: 12.5,
		created_at: 1_763_640_000,
		error: { message: '审核超时' },
	};
	const asset = readAsset(raw)!;

	it('is flat, with its times in ISO 8601 and its reason in English', () => {
		const { json } = assetToItem(asset, true);
		expect(json).toEqual({
			id: 'ast_1',
			model: 'sdn-2.0',
			type: 'video',
			name: 'Harbour',
			status: 'failed',
			duration_seconds: 12.5,
			created_at: '2025-11-20T12:00:00.000Z',
			updated_at: null,
			asset_url: null,
			reason: 'The review timed out',
			reason_original: '审核超时',
		});
		assertOutputSchema({ resource: 'asset', operation: 'get' }, [json]);
		expect(assetToItem(asset, false).json).toBe(raw);
	});

	it('is an error where the review rejected it', async () => {
		expect(await catchError((async () => assertAssetUsable(asset))())).toMatchObject({
			code: 'asset_rejected',
			message: 'The asset ast_1 was not accepted: The review timed out',
			details: { asset_id: 'ast_1', status: 'failed', reason_original: '审核超时', billed: 0 },
		});
		expect(() => assertAssetUsable({ ...asset, status: 'active' })).not.toThrow();
	});
});
