import type { IDataObject } from 'n8n-workflow';
import { readAsset, readAssets, type Asset } from './schema';
import type { GatewayClient } from '../client';
import { GatewayError } from '../errors';
import { delay } from '../delay';

/** The review status refreshes at most once in this time: spec section 3. */
const REFRESH_MS = 5_000;
/** Longest page of the list: section 4. */
const LONGEST_PAGE = 100;

const pathOf = (id: string) => `/v1/assets/${encodeURIComponent(id)}`;

function assetIn(body: unknown): Asset {
	const asset = readAsset(body);
	if (asset) return asset;
	throw new GatewayError(
		'The gateway answered without an asset',
		'Check that Base URL in the credential is the address of the gateway.',
		{
			retry: true,
		},
	);
}

/** POST /v1/assets. It carries no idempotency key, so only a refusal for too many requests is repeated. */
export async function createAsset(client: GatewayClient, body: IDataObject): Promise<Asset> {
	const reply = await client.request({ kind: 'write', method: 'POST', path: '/v1/assets', body });
	return assetIn(reply.body);
}

export async function getAsset(client: GatewayClient, id: string): Promise<Asset> {
	const { body } = await client.request({ kind: 'read', method: 'GET', path: pathOf(id) });
	return assetIn(body);
}

/** DELETE /v1/assets/{id}; what it answers is not shown, so any success counts. */
export async function deleteAsset(client: GatewayClient, id: string): Promise<void> {
	await client.request({ kind: 'write', method: 'DELETE', path: pathOf(id), anyBody: true });
}

/** One page of the list, newest first; `size` also counts entries that could not be read. */
export async function assetPage(
	client: GatewayClient,
	limit: number,
	offset: number,
): Promise<{ assets: Asset[]; size: number }> {
	const { body } = await client.request({
		kind: 'read',
		method: 'GET',
		path: '/v1/assets',
		query: { limit, offset },
	});
	return readAssets(body);
}

/** Assets, newest first, page by page until enough or until a short page says it was the last. */
export async function listAssets(client: GatewayClient, most: number): Promise<Asset[]> {
	const assets: Asset[] = [];
	const size = Math.min(LONGEST_PAGE, most);
	for (let offset = 0; ;) {
		const page = await assetPage(client, size, offset);
		assets.push(...page.assets);
		offset += page.size;
		if (page.size < size || assets.length >= most) return assets.slice(0, most);
	}
}

/**
 * Looks at an asset until its review is over or the time is up, and hands it over as it stands then: a look
 * that does not work is not a review that failed. Only a refusal ends the wait early, with the asset's ID.
 */
export async function awaitAsset(
	client: GatewayClient,
	asset: Asset,
	timeoutMs: number,
): Promise<Asset> {
	const end = Date.now() + timeoutMs;
	let last = asset;
	while (last.status === 'processing' && Date.now() + REFRESH_MS <= end) {
		await delay(REFRESH_MS, client.signal);
		last = await getAsset(client, asset.id).catch((error: unknown) => {
			if (!(error instanceof GatewayError)) throw error;
			if (error.details.retry) return last;
			throw error.with({ asset_id: asset.id, billed: undefined });
		});
	}
	return last;
}
