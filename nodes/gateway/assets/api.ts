import { read, write, type GatewayClient } from '../client';
import { isObject, type JsonObject } from '../json';
import { delay } from '../delay';
import { readErrorBody } from '../errorBody';
import { withDetails, type GatewayError } from '../errors';
import { RefusedPolls } from '../refusedPolls';
import type { ResponseReader } from '../request';
import { isPageError } from '../response';
import { readAsset, readAssets, type Asset } from './schema';

/** The review status refreshes at most once in this time: spec section 3. */
const REFRESH_MS = 5_000;
/** Longest page of the list: spec section 4. */
export const LONGEST_PAGE = 100;
/** Of a list. An account holds 500 assets (spec section 8), and failed ones beside them. */
const MOST_PAGES = 100;

const pathOf = (id: string) => `/v1/assets/${encodeURIComponent(id)}`;

const ASSET: ResponseReader<Asset> = { expects: 'an asset', read: readAsset };

/** POST /v1/assets. It carries no idempotency key, so only what was refused with a 429 or never sent is repeated. */
export async function createAsset(client: GatewayClient, body: JsonObject): Promise<Asset> {
	return await write(client, '/v1/assets', ASSET, { body });
}

/** Not repeated after `until`, in Unix milliseconds. */
export async function getAsset(client: GatewayClient, id: string, until?: number): Promise<Asset> {
	return await read(client, pathOf(id), ASSET, { until });
}

/** Its latest state that can be read. Undefined where it was deleted. */
export async function findAsset(client: GatewayClient, asset: Asset): Promise<Asset | undefined> {
	return await getAsset(client, asset.id).catch((error: GatewayError) =>
		isMissing(error) ? undefined : asset,
	);
}

const isMissing = (error: GatewayError) => error.code === 'not_found' && !isPageError(error);

/** The response of a deletion is not shown: anything but an error or a web page will do. */
const CONFIRMATION: ResponseReader<true> = {
	expects: 'a confirmation',
	read(body) {
		if (typeof body === 'string') return /^\s*[<{]/.test(body) ? undefined : true;
		const { deleted, success, error } = isObject(body) ? body : {};
		const { code = '' } = readErrorBody(body);
		// The asset itself may come, and a failed one has an error.
		const isError = Boolean(error) && readAsset(body)?.status !== 'failed';
		const isRefused = deleted === false || success === false || isError;
		return isRefused || /^([45]\d\d|error|fail(ed|ure)?)$/i.test(code) ? undefined : true;
	},
};

/** DELETE /v1/assets/{id}. Where an earlier attempt has deleted it, the next one does not find it. */
export async function deleteAsset(client: GatewayClient, id: string): Promise<void> {
	try {
		await client.request({
			kind: 'idempotent',
			method: 'DELETE',
			path: pathOf(id),
			reader: CONFIRMATION,
		});
	} catch (error) {
		const failure = error as GatewayError;
		if (!isMissing(failure) || failure.details.may_have_executed !== true) throw failure;
	}
}

/** One page of the list, newest first; `size` also counts entries that could not be read. */
export async function getAssetPage(
	client: GatewayClient,
	limit: number,
	offset: number,
): Promise<{ assets: Asset[]; size: number }> {
	const reader = { expects: 'a list of assets', read: readAssets };
	return await read(client, '/v1/assets', reader, { query: { limit, offset } });
}

/** Newest first, until there are `most`. A short page, one that repeats the one before, and the hundredth end the list. */
export async function listAssets(client: GatewayClient, most?: number): Promise<Asset[]> {
	const byId = new Map<string, Asset>();
	const limit = Math.min(LONGEST_PAGE, most ?? LONGEST_PAGE);
	for (let page = 1, offset = 0; ; page += 1) {
		const { assets, size } = await getAssetPage(client, limit, offset);
		const known = byId.size;
		for (const asset of assets) if (!byId.has(asset.id)) byId.set(asset.id, asset);
		offset += size;
		const isSamePage = assets.length > 0 && byId.size === known;
		const isEnough = most !== undefined && byId.size >= most;
		if (size < limit || isSamePage || isEnough || page === MOST_PAGES)
			return [...byId.values()].slice(0, most);
	}
}

/**
 * Polls an asset until its review has ended or the time is up, and returns its last known state. A failed
 * poll does not fail the review. A refusal that persists ends the wait, with the asset's ID.
 */
export async function awaitAsset(
	client: GatewayClient,
	asset: Asset,
	timeoutMs: number,
): Promise<Asset> {
	const { clock } = client.context;
	const end = clock.now() + timeoutMs;
	const refused = new RefusedPolls(clock);
	let last = asset;
	while (last.status === 'processing' && clock.now() + REFRESH_MS <= end) {
		try {
			await delay(client.context, REFRESH_MS);
			last = await getAsset(client, asset.id, end);
			refused.reset();
		} catch (error) {
			if (refused.endsWait(error))
				throw withDetails(error, { asset_id: asset.id, billed: undefined });
		}
	}
	return last;
}
