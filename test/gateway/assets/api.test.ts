import {
	awaitAsset,
	createAsset,
	deleteAsset,
	getAsset,
	listAssets,
} from '../../../nodes/gateway/assets/api';
import { readAsset } from '../../../nodes/gateway/assets/schema';
import type { HttpRequest } from '../../../nodes/gateway/context';
import { catchError } from '../../support/gatewayClient';
import {
	createVirtualGateway,
	ok,
	refusal,
	type VirtualResponse,
} from '../../support/virtualGateway';

const assets = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ id: `ast_${index}` }));

/** A gateway with so many assets that pages as the spec says, or ignores `offset`. */
const createLibrary = (count: number, ignoresOffset = false) =>
	createVirtualGateway(({ query }) => {
		const { limit, offset } = query as { limit: number; offset: number };
		const from = ignoresOffset ? 0 : offset;
		return ok({ object: 'list', data: assets(count).slice(from, from + limit) });
	});
const pagesOf = (requests: HttpRequest[]) => requests.map(({ query }) => query);

describe('the list of assets', () => {
	it.each([
		[0, undefined, 0, 1],
		[99, undefined, 99, 1],
		[100, undefined, 100, 2],
		[250, undefined, 250, 3],
		[250, 30, 30, 1],
		[250, 100, 100, 1],
		[250, 150, 150, 2],
		[20, 50, 20, 1],
	])('of %i, up to %p, has %i in %i pages', async (count, most, found, pages) => {
		const { client, clock, requests } = createLibrary(count);
		const list = await clock.run(listAssets(client, most));

		expect(list.map(({ id }) => id)).toEqual(assets(found).map(({ id }) => id));
		expect(requests).toHaveLength(pages);
	});

	it('ends when a page repeats, for a gateway that ignores the offset', async () => {
		const { client, clock, requests } = createLibrary(250, true);

		expect(await clock.run(listAssets(client))).toHaveLength(100);
		expect(pagesOf(requests)).toEqual([
			{ limit: 100, offset: 0 },
			{ limit: 100, offset: 100 },
		]);
	});

	it('holds an asset once that a new upload has moved to the next page', async () => {
		const { client, clock } = createVirtualGateway((_request, index) =>
			ok({ data: index ? assets(102).slice(99) : assets(100) }),
		);
		const list = await clock.run(listAssets(client));

		expect(list.map(({ id }) => id)).toEqual(assets(102).map(({ id }) => id));
	});

	it('goes on past entries that cannot be read', async () => {
		const { client, clock } = createVirtualGateway((_request, index) =>
			ok({ data: index ? assets(2) : Array(100).fill({ status: 'active' }) }),
		);

		expect(await clock.run(listAssets(client))).toHaveLength(2);
	});

	it('ends where a gateway gives pages without a readable asset for ever', async () => {
		const { client, clock, requests } = createVirtualGateway(() =>
			ok({ data: Array(100).fill({ status: 'active' }) }),
		);

		expect(await clock.run(listAssets(client))).toEqual([]);
		expect(requests).toHaveLength(100);
	});
});

describe('awaiting the review of an asset', () => {
	const processing = readAsset({ id: 'ast_1', status: 'processing' })!;
	const review = (answers: VirtualResponse[], timeoutMs = 60_000) => {
		const gateway = createVirtualGateway(
			(_request, index) => answers[Math.min(index, answers.length - 1)]!,
		);
		const startedAt = gateway.clock.now();
		const result = gateway.clock.run(awaitAsset(gateway.client, processing, timeoutMs));
		result.catch(() => undefined);
		return { result, ...gateway, elapsed: () => gateway.clock.now() - startedAt };
	};
	const state = (status: string) => ok({ id: 'ast_1', status });

	it('polls no more often than the review status refreshes, until it is over', async () => {
		const { result, elapsed, requests } = review([state('processing'), state('active')]);

		expect(await result).toMatchObject({ status: 'active' });
		expect([elapsed(), requests.length]).toEqual([10_000, 2]);
	});

	it('names the asset when the user stops the execution', async () => {
		const user = new AbortController();
		const { client, clock } = createVirtualGateway(() => state('processing'), {
			signal: user.signal,
		});
		clock.after(7_000, () => user.abort());

		expect(await clock.run(catchError(awaitAsset(client, processing, 60_000)))).toMatchObject({
			code: 'stopped',
			details: { asset_id: 'ast_1' },
		});
	});

	it('gives the asset as it stands when the time is up', async () => {
		const { result, elapsed } = review([state('processing')], 12_000);

		expect(await result).toMatchObject({ status: 'processing' });
		expect(elapsed()).toBe(10_000);
	});

	it.each([
		['are to be repeated much later', refusal(429, 'No', { 'retry-after': '600' })],
		['fail', refusal(503)],
		['get no answer', new Promise<never>(() => undefined)],
	])('ends with Max Wait where polls %s', async (_name, answer) => {
		const gateway = createVirtualGateway(async () => await answer);
		const end = gateway.clock.now() + 30_000;

		expect(await gateway.clock.run(awaitAsset(gateway.client, processing, 30_000))).toBe(
			processing,
		);
		expect(gateway.clock.now()).toBeLessThanOrEqual(end + 5_000);
	});

	it('polls nothing of an asset that is reviewed already', async () => {
		const { client, requests } = createVirtualGateway(() => state('active'));
		const asset = { ...processing, status: 'failed' };

		expect(await awaitAsset(client, asset, 60_000)).toBe(asset);
		expect(requests).toEqual([]);
	});

	it.each([402, 500])('goes on after a poll that met %i', async (status) => {
		const { result } = review([
			...Array<VirtualResponse>(6).fill(refusal(status)),
			state('active'),
		]);

		expect(await result).toMatchObject({ status: 'active' });
	});

	it.each([400, 401, 403, 404])('ends with %i, and keeps the ID', async (status) => {
		expect(await catchError(review([refusal(status)]).result)).toMatchObject({
			details: { asset_id: 'ast_1', http_status: status, billed: undefined, retry: false },
		});
	});
});

describe('one asset', () => {
	it('is uploaded once where the answer does not say whether it was', async () => {
		const { client, clock, requests } = createVirtualGateway(() => refusal(500));

		await clock.run(catchError(createAsset(client, { url: 'https://example.com/a.png' })));
		expect(requests).toHaveLength(1);
	});

	it('is read, and an ID stays one part of the path', async () => {
		const { client, clock, requests } = createVirtualGateway(() => ok({ data: { id: 'a/b' } }));

		expect(await clock.run(getAsset(client, 'a/b'))).toMatchObject({ id: 'a/b' });
		expect(requests[0]).toMatchObject({ method: 'GET', path: '/v1/assets/a%2Fb' });
	});

	it('is missing in an answer without one', async () => {
		const { client, clock } = createVirtualGateway(() => ok({ error: 'asset_store_error' }));

		expect(await clock.run(catchError(getAsset(client, 'ast_1')))).toMatchObject({
			code: 'unreadable_response',
			message: 'The gateway answered without an asset: asset_store_error',
		});
	});

	it.each([
		'',
		'deleted',
		{ deleted: true },
		{ id: 'ast_1', status: 'deleted' },
		{ id: 'ast_1', status: 'failed', error: { message: 'The review rejected it' } },
		{ code: 0, success: true },
	])('is deleted whatever is answered: %j', async (body) => {
		const { client, clock, requests } = createVirtualGateway(() => ok(body));

		await expect(clock.run(deleteAsset(client, 'ast_1'))).resolves.toBeUndefined();
		expect(requests[0]).toMatchObject({ method: 'DELETE', path: '/v1/assets/ast_1' });
	});

	it.each([
		'<html>Log in</html>',
		{ deleted: false },
		{ code: 'fail', message: 'in use' },
		{ success: false, message: 'in use' },
		{ code: 404, message: 'gone' },
		{ code: 'error', data: 'in use' },
		{ id: 'req_1', error: { message: 'in use' } },
	])('is not deleted where the answer refuses it: %j', async (body) => {
		const { client, clock } = createVirtualGateway(() => ok(body));
		const { code } = body as { code?: unknown };

		expect(await clock.run(catchError(deleteAsset(client, 'ast_1')))).toMatchObject({
			code: code === 404 ? 'not_found' : 'unreadable_response',
		});
	});

	it('is deleted where the answer to the first attempt was lost, though the second does not find it', async () => {
		let attempts = 0;
		const { client, clock, requests } = createVirtualGateway(() =>
			refusal((attempts += 1) === 1 ? 500 : 404),
		);

		await expect(clock.run(deleteAsset(client, 'ast_1'))).resolves.toBeUndefined();
		expect(requests).toHaveLength(2);
	});

	it('is not deleted where a page of something before the gateway is not found', async () => {
		const page = { status: 404, headers: {}, body: '<html>404</html>' };
		const { client, clock, requests } = createVirtualGateway((_request, index) =>
			index ? page : refusal(500),
		);

		expect(await clock.run(catchError(deleteAsset(client, 'ast_1')))).toMatchObject({
			code: 'not_found',
		});
		expect(requests).toHaveLength(2);
	});

	it.each([[[404]], [[429, 404]], [[502, 404]]])(
		'is not found where no earlier attempt can have deleted it: %j',
		async (statuses) => {
			const { client, clock } = createVirtualGateway(() => refusal(statuses.shift()!));

			expect(await clock.run(catchError(deleteAsset(client, 'ast_1')))).toMatchObject({
				code: 'not_found',
			});
		},
	);
});
