import type { FaultKind } from '../../sandbox';
import type { GatewayRequest } from '../../nodes/gateway/request';
import { readTask } from '../../nodes/gateway/tasks/schema';
import { onFastClock } from '../support/fastClock';
import { delay, useSandbox } from '../support/useSandbox';
import { FAST_RETRY, catchError, withClient } from '../support/gatewayClient';
import { createVirtualGateway, refusal } from '../support/virtualGateway';

const fixture = useSandbox({ taskMs: 20 });
const body = { model: 'imgn-4.0', prompt: 'a kite' };
const submission: GatewayRequest = {
	kind: 'submit',
	method: 'POST',
	path: '/v1/tasks',
	body,
	headers: { 'Idempotency-Key': 'row-1' },
};
const models: GatewayRequest = { kind: 'read', method: 'GET', path: '/v1/models' };
const inAMoment = () => new Date(Date.now() + 1500).toUTCString();

const PLENTY_MS = 5_000;

/** Everything that may happen to a request and pass, and whether the gateway did the work all the same. */
const faults: [name: string, kind: () => FaultKind, timeoutMs: number][] = [
	['429', () => ({ status: 429 }), PLENTY_MS],
	['429 with Retry-After in seconds', () => ({ status: 429, retryAfter: '0.2' }), PLENTY_MS],
	['429 with Retry-After as a date', () => ({ status: 429, retryAfter: inAMoment() }), PLENTY_MS],
	['500', () => ({ status: 500 }), PLENTY_MS],
	['502', () => ({ status: 502 }), PLENTY_MS],
	['503', () => ({ status: 503 }), PLENTY_MS],
	['a connection that breaks before the work', () => 'reset-before', PLENTY_MS],
	['a connection that breaks after the work', () => 'reset-after', PLENTY_MS],
	['a connection that breaks within the response', () => 'reset-midway', PLENTY_MS],
	['half a response', () => 'broken-json', PLENTY_MS],
	['no response', () => 'hang', 600],
];

describe('what an error claims about the money', () => {
	const write: GatewayRequest = { kind: 'write', method: 'POST', path: '/v1/assets', body };
	const errorAfter = async (request: GatewayRequest, status: number) => {
		fixture.sandbox.faults.add({ times: 9, kind: { status } });
		return await catchError(withClient(fixture.sandbox, (client) => client.request(request)));
	};

	it.each([
		[502, 'submit', true],
		[502, 'write', false],
		[502, 'read', false],
		[409, 'submit', true],
		[409, 'write', false],
		[400, 'submit', false],
	] as const)(
		'after %i on a %s promises that it is not billed twice: %s',
		async (status, kind, promises) => {
			const { hint } = await errorAfter({ submit: submission, write, read: models }[kind], status);
			expect(hint.includes('is not billed twice')).toBe(promises);
		},
	);

	it.each([
		[400, 0],
		[402, 0],
		[404, 0],
		[422, 0],
		[408, undefined],
		[409, undefined],
		[425, undefined],
		[500, undefined],
	])('after %i on a write is billed: %p', async (status, billed) => {
		const { hint, details } = await errorAfter(write, status);
		expect((details as { billed?: number }).billed).toBe(billed);
		if (billed === undefined) expect(hint).not.toContain('Nothing was billed');
	});
});

describe('the client', () => {
	it.each(faults)(
		'submits again after %s, with the same key and body, and lands on one task',
		async (_name, kind, timeoutMs) => {
			fixture.sandbox.faults.add({
				match: { method: 'POST', path: '/v1/tasks' },
				times: 2,
				kind: kind(),
			});
			const { body: response } = await withClient(fixture.sandbox, (client) =>
				client.request({ ...submission, timeoutMs }),
			);

			const posts = fixture.sandbox.requests;
			expect(posts.map(({ body: sent, headers }) => [sent, headers['idempotency-key']])).toEqual(
				Array(3).fill([body, 'row-1']),
			);
			expect(fixture.sandbox.tasks().map(({ task_id }) => task_id)).toEqual([
				(response as { task_id: string }).task_id,
			]);
		},
	);

	it.each(faults)('reads again after %s', async (_name, kind, timeoutMs) => {
		fixture.sandbox.faults.add({ times: 2, kind: kind() });
		const { body: response } = await withClient(fixture.sandbox, (client) =>
			client.request({ ...models, timeoutMs }),
		);

		expect(response).toMatchObject({ object: 'list' });
		expect(fixture.sandbox.requests).toHaveLength(3);
	});

	it.each(faults)(
		'repeats another write only where nothing was done: %s',
		async (name, kind, timeoutMs) => {
			fixture.sandbox.faults.add({ kind: kind() });
			const request: GatewayRequest = {
				kind: 'write',
				method: 'POST',
				path: '/v1/tasks',
				body,
				timeoutMs,
			};
			const outcome = await withClient(fixture.sandbox, (client) => client.request(request)).catch(
				(error: { details: object }) => error.details,
			);

			const isRepeated = name.startsWith('429');
			expect(fixture.sandbox.requests).toHaveLength(isRepeated ? 2 : 1);
			expect(outcome).toMatchObject(isRepeated ? { body: { status: 'queued' } } : { retry: true });
		},
	);

	it.each([429, 500])('does not repeat a request that is sent once, after %i', async (status) => {
		fixture.sandbox.faults.add({ times: 9, kind: { status } });
		const request: GatewayRequest = { ...models, isOnce: true };
		const error = await catchError(
			withClient(fixture.sandbox, (client) => client.request(request)),
		);

		expect(error.details).toMatchObject({ http_status: status });
		expect(fixture.sandbox.requests).toHaveLength(1);
	});

	it.each([
		['400', 400],
		['401', 401],
		['402', 402],
		['403', 403],
		['404', 404],
	])('does not repeat after %s', async (_name, status) => {
		fixture.sandbox.faults.add({ times: 9, kind: { status } });
		const error = await catchError(
			withClient(fixture.sandbox, (client) => client.request(submission)),
		);

		expect(error.details).toMatchObject({ retry: false, http_status: status, billed: 0 });
		expect(fixture.sandbox.requests).toHaveLength(1);
	});

	it('does not repeat after 200 with an error whose code is 400', async () => {
		const kind = { status: 200, code: 400, message: 'No such quality' };
		fixture.sandbox.faults.add({ times: 9, kind });
		const reader = { expects: 'a task', read: readTask };
		const error = await catchError(
			withClient(fixture.sandbox, (client) => client.request({ ...submission, reader })),
		);

		expect(error.message).toContain('No such quality');
		expect(error.details).toMatchObject({ retry: false, http_status: 400, billed: 0 });
		expect(fixture.sandbox.requests).toHaveLength(1);
	});

	it('does not wait for a balance, whatever the status of the answer', async () => {
		const { client, clock, requests } = createVirtualGateway(() => ({
			...refusal(429, 'No', { 'retry-after': '9' }),
			body: { error: { code: 'insufficient_quota', message: 'Top up' } },
		}));
		const startedAt = clock.now();

		expect(await catchError(clock.run(client.request(submission)))).toMatchObject({
			code: 'insufficient_balance',
			message: 'Insufficient balance: Top up',
		});
		expect([requests.length, clock.now() - startedAt]).toEqual([1, 0]);
		expect(client.isRefusing).toBe(false);
	});

	it('names an outage as the reason of requests that have waited for it, not a limit', async () => {
		const { client, clock, requests } = createVirtualGateway(
			async () => {
				await clock.sleep(50);
				return refusal(503);
			},
			{ longestWaitMs: 20_000 },
		);
		const all = Array.from({ length: 100 }, async (_, row) => {
			const headers = { 'Idempotency-Key': `row-${row}` };
			return await catchError(client.request({ ...submission, headers }));
		});
		const errors = await clock.run(Promise.all(all));
		const sent = new Set(requests.map(({ headers }) => headers['Idempotency-Key']));

		expect(sent.size).toBeLessThan(100);
		expect(errors.map(({ code, details }) => [code, details.http_status])).toEqual(
			Array(100).fill(['gateway_error', 503]),
		);
		expect(errors.filter(({ details }) => details.billed === 0)).toHaveLength(100 - sent.size);
	});

	it('obeys Retry-After before its own delays', async () => {
		fixture.sandbox.faults.add({ kind: { status: 429, retryAfter: '1' } });
		await withClient(fixture.sandbox, (client) => client.request(models));

		const [first, second] = fixture.sandbox.requests;
		expect(second!.at - first!.at).toBeGreaterThanOrEqual(990);
	});

	it('gives up after the tries it has, and says that running again makes sense', async () => {
		fixture.sandbox.faults.add({
			times: 99,
			kind: { status: 502, message: 'The upstream is away.' },
		});
		const error = await catchError(
			withClient(fixture.sandbox, (client) => client.request(submission)),
		);

		expect(fixture.sandbox.requests).toHaveLength(FAST_RETRY.attempts);
		expect(error).toMatchObject({
			message: 'The gateway could not process the request: The upstream is away.',
			details: { retry: true, http_status: 502 },
		});
	});

	it(
		'waits out a 429 until its deadline, however often it is refused',
		onFastClock(async () => {
			fixture.sandbox.faults.add({
				times: FAST_RETRY.attempts + 3,
				kind: { status: 429, retryAfter: '0.02' },
			});
			await withClient(fixture.sandbox, (client) => client.request(models));

			expect(fixture.sandbox.requests).toHaveLength(FAST_RETRY.attempts + 4);
		}),
	);

	it('gives up at its own deadline, and not earlier, when it is told to wait beyond it', async () => {
		fixture.sandbox.faults.add({ kind: { status: 429, retryAfter: '60' } });
		const until = Date.now() + 1_000;
		const error = await catchError(
			withClient(fixture.sandbox, (client) => client.request({ ...submission, until })),
		);

		// Timers may be a millisecond early.
		expect(Date.now()).toBeGreaterThanOrEqual(until - 5);
		expect(fixture.sandbox.requests).toHaveLength(1);
		expect(error.details).toMatchObject({ retry: true, http_status: 429, retry_after: 60 });
	});

	it('does not claim that nothing was billed when an earlier reply was lost', async () => {
		fixture.sandbox.faults.add({ kind: 'reset-after' });
		fixture.sandbox.faults.add({ kind: { status: 429, retryAfter: '60' } });
		const until = Date.now() + 1_500;
		const error = await catchError(
			withClient(fixture.sandbox, (client) => client.request({ ...submission, until })),
		);

		expect(fixture.sandbox.tasks()).toHaveLength(1);
		expect(error.details).toMatchObject({ http_status: 429, billed: undefined });
	});

	it('ends a delay at once when the user stops the execution', async () => {
		const user = new AbortController();
		fixture.sandbox.faults.add({ kind: { status: 429, retryAfter: '60' } });
		setTimeout(() => user.abort(), 100);
		const error = await catchError(
			withClient(fixture.sandbox, (client) => client.request(models), {
				signal: user.signal,
				retry: { ...FAST_RETRY, budgetMs: 120_000 },
			}),
		);

		expect(error).toMatchObject({
			code: 'stopped',
			message: 'The execution was stopped',
			details: { retry: false },
		});
		await delay(50);
		expect(fixture.sandbox.requests).toHaveLength(1);
	});

	it('waits for no result at a gateway that has refused a request as one too many', async () => {
		fixture.sandbox.faults.add({ kind: { status: 429, retryAfter: '0.02' } });
		const preferring: GatewayRequest = {
			...submission,
			headers: { ...submission.headers, Prefer: 'wait=1' },
		};
		await withClient(fixture.sandbox, (client) => client.request(preferring));

		expect(fixture.sandbox.requests.map(({ headers }) => headers.prefer)).toEqual([
			'wait=1',
			undefined,
		]);
	});

	it('ends a request under way at once when the user stops the execution', async () => {
		const user = new AbortController();
		fixture.sandbox.faults.add({ kind: 'hang' });
		setTimeout(() => user.abort(), 100);
		const error = await catchError(
			withClient(fixture.sandbox, (client) => client.request(models), { signal: user.signal }),
		);

		expect(error).toMatchObject({ code: 'stopped', message: 'The execution was stopped' });
	});

	it('sends no more requests at once than its concurrency', async () => {
		Object.assign(fixture.sandbox.settings, { concurrencyLimit: 3, apiLatencyMs: 30 });
		await withClient(
			fixture.sandbox,
			(client) => Promise.all(Array.from({ length: 12 }, () => client.request(models))),
			{ concurrency: 3 },
		);

		expect(fixture.sandbox.requests.map(({ status }) => status)).toEqual(Array(12).fill(200));
	});

	it('treats a response that comes byte by byte as one that does not come', async () => {
		fixture.sandbox.faults.add({ kind: 'slow-body', bodyMs: 25_000 });
		const error = await catchError(
			withClient(fixture.sandbox, (client) => client.request({ ...models, timeoutMs: 3_000 }), {
				retry: { ...FAST_RETRY, attempts: 1 },
			}),
		);

		expect(error).toMatchObject({
			code: 'timeout',
			message: 'The gateway was silent for 3 s',
			details: { retry: true },
		});
	});
});
