import type { FaultKind } from '../../sandbox';
import type { GatewayRequest } from '../../nodes/gateway/client';
import { delay, useSandbox } from '../support/useSandbox';
import { FAST_RETRY, catchError, withClient } from '../support/gatewayClient';

const visitor = useSandbox({ taskMs: 20 });
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

const PLENTY = 5_000;

/** Everything that may happen to a call and pass, and whether the gateway did the work all the same. */
const faults: [name: string, kind: () => FaultKind, timeoutMs: number][] = [
	['429', () => ({ status: 429 }), PLENTY],
	['429 with Retry-After in seconds', () => ({ status: 429, retryAfter: '0.2' }), PLENTY],
	['429 with Retry-After as a date', () => ({ status: 429, retryAfter: inAMoment() }), PLENTY],
	['500', () => ({ status: 500 }), PLENTY],
	['502', () => ({ status: 502 }), PLENTY],
	['503', () => ({ status: 503 }), PLENTY],
	['a connection that breaks before the work', () => 'reset-before', PLENTY],
	['a connection that breaks after the work', () => 'reset-after', PLENTY],
	['a connection that breaks within the reply', () => 'reset-midway', PLENTY],
	['half a reply', () => 'broken-json', PLENTY],
	['no reply', () => 'hang', 150],
];

describe('what is said of the money', () => {
	const write: GatewayRequest = { kind: 'write', method: 'POST', path: '/v1/assets', body };
	const saidOf = async (call: GatewayRequest, status: number) => {
		visitor.sandbox.faults.add({ times: 9, kind: { status } });
		return await catchError(withClient(visitor.sandbox, (client) => client.request(call)));
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
			const { hint } = await saidOf({ submit: submission, write, read: models }[kind], status);
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
		const { hint, details } = await saidOf(write, status);
		expect((details as { billed?: number }).billed).toBe(billed);
		if (billed === undefined) expect(hint).not.toContain('Nothing was billed');
	});
});

describe('the door', () => {
	it.each(faults)(
		'submits again after %s, with the same key and body, and lands on one task',
		async (_name, kind, timeoutMs) => {
			visitor.sandbox.faults.add({
				match: { method: 'POST', path: '/v1/tasks' },
				times: 2,
				kind: kind(),
			});
			const { body: reply } = await withClient(visitor.sandbox, (client) =>
				client.request({ ...submission, timeoutMs }),
			);

			const posts = visitor.sandbox.requests;
			expect(posts.map(({ body: sent, headers }) => [sent, headers['idempotency-key']])).toEqual(
				Array(3).fill([body, 'row-1']),
			);
			expect(visitor.sandbox.tasks().map(({ task_id }) => task_id)).toEqual([
				(reply as { task_id: string }).task_id,
			]);
		},
	);

	it.each(faults)('reads again after %s', async (_name, kind, timeoutMs) => {
		visitor.sandbox.faults.add({ times: 2, kind: kind() });
		const { body: reply } = await withClient(visitor.sandbox, (client) =>
			client.request({ ...models, timeoutMs }),
		);

		expect(reply).toMatchObject({ object: 'list' });
		expect(visitor.sandbox.requests).toHaveLength(3);
	});

	it.each(faults)(
		'repeats another write only where nothing was done: %s',
		async (name, kind, timeoutMs) => {
			visitor.sandbox.faults.add({ kind: kind() });
			const call: GatewayRequest = {
				kind: 'write',
				method: 'POST',
				path: '/v1/tasks',
				body,
				timeoutMs,
			};
			const end = await withClient(visitor.sandbox, (client) => client.request(call)).catch(
				(error: { details: object }) => error.details,
			);

			const wasRepeated = name.startsWith('429');
			expect(visitor.sandbox.requests).toHaveLength(wasRepeated ? 2 : 1);
			expect(end).toMatchObject(wasRepeated ? { body: { status: 'queued' } } : { retry: true });
		},
	);

	it.each([
		['400', 400],
		['401', 401],
		['402', 402],
		['403', 403],
		['404', 404],
	])('does not ask again after %s', async (_name, status) => {
		visitor.sandbox.faults.add({ times: 9, kind: { status } });
		const issue = await catchError(
			withClient(visitor.sandbox, (client) => client.request(submission)),
		);

		expect(issue.details).toMatchObject({ retry: false, http_status: status, billed: 0 });
		expect(visitor.sandbox.requests).toHaveLength(1);
	});

	it('obeys Retry-After before its own pauses', async () => {
		visitor.sandbox.faults.add({ kind: { status: 429, retryAfter: '1' } });
		await withClient(visitor.sandbox, (client) => client.request(models));

		const [first, second] = visitor.sandbox.requests;
		expect(second!.at - first!.at).toBeGreaterThanOrEqual(990);
	});

	it('gives up after the tries it has, and says that running again makes sense', async () => {
		visitor.sandbox.faults.add({
			times: 99,
			kind: { status: 502, message: 'The upstream is away.' },
		});
		const issue = await catchError(
			withClient(visitor.sandbox, (client) => client.request(submission)),
		);

		expect(visitor.sandbox.requests).toHaveLength(FAST_RETRY.attempts);
		expect(issue).toMatchObject({
			message: 'The gateway could not process the request: The upstream is away.',
			details: { retry: true, http_status: 502 },
		});
	});

	it('waits out a 429 for as long as its budget lasts, however often it is told', async () => {
		visitor.sandbox.faults.add({
			times: FAST_RETRY.attempts + 3,
			kind: { status: 429, retryAfter: '0.02' },
		});
		await withClient(visitor.sandbox, (client) => client.request(models));

		expect(visitor.sandbox.requests).toHaveLength(FAST_RETRY.attempts + 4);
	});

	it('does not start a pause that its budget cannot pay', async () => {
		visitor.sandbox.faults.add({ kind: { status: 429, retryAfter: '60' } });
		const issue = await catchError(withClient(visitor.sandbox, (client) => client.request(models)));

		expect(issue.details).toMatchObject({ retry: true, http_status: 429 });
	});

	it('does not claim that nothing was billed when an earlier reply was lost', async () => {
		visitor.sandbox.faults.add({ kind: 'reset-after' });
		visitor.sandbox.faults.add({ kind: { status: 429, retryAfter: '60' } });
		const issue = await catchError(
			withClient(visitor.sandbox, (client) => client.request(submission)),
		);

		expect(visitor.sandbox.tasks()).toHaveLength(1);
		expect(issue.details).toMatchObject({ http_status: 429, billed: undefined });
	});

	it('ends a pause at once when the user stops the run', async () => {
		const user = new AbortController();
		visitor.sandbox.faults.add({ kind: { status: 429, retryAfter: '60' } });
		setTimeout(() => user.abort(), 100);
		const issue = await catchError(
			withClient(visitor.sandbox, (client) => client.request(models), {
				signal: user.signal,
				retry: { ...FAST_RETRY, budgetMs: 120_000 },
			}),
		);

		expect(issue).toMatchObject({ message: 'The run was stopped', details: { retry: false } });
		await delay(50);
		expect(visitor.sandbox.requests).toHaveLength(1);
	});

	it('waits for no result at a gateway that has refused a call as one too many', async () => {
		visitor.sandbox.faults.add({ kind: { status: 429, retryAfter: '0.02' } });
		const waiting: GatewayRequest = {
			...submission,
			headers: { ...submission.headers, Prefer: 'wait=1' },
		};
		await withClient(visitor.sandbox, (client) => client.request(waiting));

		expect(visitor.sandbox.requests.map(({ headers }) => headers.prefer)).toEqual([
			'wait=1',
			undefined,
		]);
	});

	it('ends a call under way at once when the user stops the run', async () => {
		const user = new AbortController();
		visitor.sandbox.faults.add({ kind: 'hang' });
		setTimeout(() => user.abort(), 100);
		const issue = await catchError(
			withClient(visitor.sandbox, (client) => client.request(models), { signal: user.signal }),
		);

		expect(issue.message).toBe('The run was stopped');
	});

	it('lets no more calls out at once than it was told', async () => {
		Object.assign(visitor.sandbox.settings, { concurrencyLimit: 3, apiLatencyMs: 30 });
		await withClient(
			visitor.sandbox,
			(client) => Promise.all(Array.from({ length: 12 }, () => client.request(models))),
			{ concurrency: 3 },
		);

		expect(visitor.sandbox.requests.map(({ status }) => status)).toEqual(Array(12).fill(200));
	});

	it('takes a reply that comes byte by byte for one that does not come', async () => {
		visitor.sandbox.faults.add({ kind: 'slow-body', bodyMs: 25_000 });
		const issue = await catchError(
			withClient(visitor.sandbox, (client) => client.request({ ...models, timeoutMs: 3_000 }), {
				retry: { ...FAST_RETRY, attempts: 1 },
			}),
		);

		expect(issue).toMatchObject({
			message: expect.stringContaining('no whole answer within 3 s'),
			details: { retry: true },
		});
	});
});
