import type { GatewayRequest } from '../../nodes/gateway/request';
import type { GatewayError } from '../../nodes/gateway/errors';
import { RateLimiter } from '../../nodes/gateway/rateLimiter';
import { RatePacer } from '../../nodes/gateway/ratePacer';
import { DEFAULT_RETRY, type RequestKind } from '../../nodes/gateway/retry';
import { catchError } from '../support/gatewayClient';
import { createLimitedServer, tokenBucket } from '../support/rateLimits';
import { unionLiterals } from '../support/sourceFacts';
import { VirtualClock } from '../support/virtualClock';
import { createVirtualGateway, ok, refusal } from '../support/virtualGateway';

const kinds = unionLiterals('nodes/gateway/retry.ts', 'RequestKind') as RequestKind[];
const submission: GatewayRequest = { kind: 'submit', method: 'POST', path: '/v1/tasks', body: {} };
const read: GatewayRequest = { kind: 'read', method: 'GET', path: '/v1/tasks/task_1' };

describe('a refusal', () => {
	it.each(kinds)('of a %s delays the requests of its lane only', async (kind) => {
		const isSubmit = kind === 'submit';
		const first = { ...submission, kind };
		const other = isSubmit ? read : submission;
		const same = isSubmit ? submission : read;
		let isFirst = true;
		const { client, clock } = createVirtualGateway(() => {
			if (!isFirst) return ok({});
			isFirst = false;
			return refusal(429, 'Too many', { 'retry-after': '7' });
		});
		const startedAt = clock.now();
		const waits: Record<string, number> = {};
		const send = async (name: string, request: GatewayRequest) => {
			await client.request(request);
			waits[name] = clock.now() - startedAt;
		};
		await clock.run(
			Promise.all([
				send('first', first),
				clock.sleep(10).then(async () => await send('other', other)),
				clock.sleep(10).then(async () => await send('same', same)),
			]),
		);

		expect(waits).toEqual({ first: 7_000, other: 10, same: expect.any(Number) });
		expect(waits.same).toBeGreaterThanOrEqual(7_000);
	});

	it('fails a request when nothing of its kind was accepted for the retry budget', async () => {
		const { client, clock, requests } = createVirtualGateway(() => refusal(429));
		const startedAt = clock.now();
		const all = Array.from({ length: 50 }, () => catchError(client.request(submission)));
		const errors = await clock.run(Promise.all(all));

		expect(errors.map(({ code }) => code)).toEqual(Array(50).fill('rate_limited'));
		expect(clock.now() - startedAt).toBeLessThanOrEqual(DEFAULT_RETRY.budgetMs);
		expect(requests.length).toBeLessThan(100);
	});

	it('fails no request as long as others of its kind are accepted', async () => {
		const options = { latencyMs: 200, retryAfter: 'in seconds' as const };
		const server = createLimitedServer(() => gateway.clock, tokenBucket(1, 60_000), options);
		const gateway = createVirtualGateway(() => server.answer());
		const all = Array.from({ length: 12 }, () => gateway.client.request(submission));

		expect(await gateway.clock.run(Promise.all(all))).toHaveLength(12);
		expect(server.accepted).toBe(12);
	});

	it('of an hour fails the requests behind it as well, at once', async () => {
		const { client, clock, requests } = createVirtualGateway(
			() => refusal(429, 'Too many', { 'retry-after': '3600' }),
			{ concurrency: 2 },
		);
		const startedAt = clock.now();
		const all = Array.from({ length: 10 }, () => catchError(client.request(submission)));
		const errors = await clock.run(Promise.all(all));

		expect(errors.map(({ code, details }) => [code, details.billed])).toEqual(
			Array(10).fill(['rate_limited', 0]),
		);
		expect(clock.now() - startedAt).toBeLessThanOrEqual(DEFAULT_RETRY.budgetMs);
		expect(requests.length).toBeLessThanOrEqual(2);
	});

	it('keeps no request longer than it may take', async () => {
		const { client, clock } = createVirtualGateway(() =>
			refusal(429, 'Too many', { 'retry-after': '60' }),
		);
		const startedAt = clock.now();
		const send = async () => {
			const until = clock.now() + 5_000;
			const error = await catchError(client.request({ ...read, until }));
			return [error.code, clock.now() <= until];
		};
		const later = clock.sleep(1_000).then(send);

		expect(await clock.run(Promise.all([send(), later]))).toEqual(
			Array(2).fill(['rate_limited', true]),
		);
		expect(clock.now() - startedAt).toBeLessThanOrEqual(6_000);
	});

	it('carries the time to come again', async () => {
		const { client, clock } = createVirtualGateway(() =>
			refusal(429, 'Too many', { 'retry-after': '600' }),
		);

		expect(await clock.run(catchError(client.request(read)))).toMatchObject({
			details: { retry_after: 600, http_status: 429, retry: true },
		});
	});
});

describe('a stop by the user', () => {
	it('ends all requests that are queued or under way at once, and sends none of them', async () => {
		const user = new AbortController();
		const { client, clock, requests } = createVirtualGateway(
			async () => {
				await clock.sleep(60_000);
				return ok({});
			},
			{ signal: user.signal, concurrency: 3 },
		);
		const startedAt = clock.now();
		const all = Array.from({ length: 10 }, () => catchError(client.request(submission)));
		clock.after(500, () => user.abort());
		const errors = await clock.run(Promise.all(all));

		expect(errors.map(({ code }: GatewayError) => code)).toEqual(Array(10).fill('stopped'));
		expect(clock.now() - startedAt).toBe(500);
		expect(requests).toHaveLength(3);
		expect(requests.every(({ signal }) => signal.aborted)).toBe(true);
	});

	it('ends the requests that wait for a refusal to pass', async () => {
		const user = new AbortController();
		const { client, clock, requests } = createVirtualGateway(
			() => refusal(429, 'Too many', { 'retry-after': '60' }),
			{ signal: user.signal },
		);
		const startedAt = clock.now();
		const all = Array.from({ length: 10 }, () => catchError(client.request(submission)));
		clock.after(500, () => user.abort());
		const errors = await clock.run(Promise.all(all));

		expect(errors.map(({ code }: GatewayError) => code)).toEqual(Array(10).fill('stopped'));
		expect(clock.now() - startedAt).toBe(500);
		expect(requests.length).toBeLessThanOrEqual(10);
	});

	it('takes only its own request out of the queue', async () => {
		const clock = new VirtualClock();
		const limiter = new RateLimiter(clock, { concurrency: 1 });
		const user = new AbortController();
		const work = async () => {
			await clock.sleep(100);
			return { status: 200, headers: {} };
		};
		const limits = { startedAt: clock.now(), budgetMs: 1_000, until: Infinity };
		const first = limiter.run('read', limits, user.signal, work);
		const second = limiter.run('read', limits, undefined, work);
		// The first has begun, and has not noticed yet.
		user.abort();

		expect(await clock.run(Promise.all([first, second]), 1_000)).toHaveLength(2);
	});
});

describe('the pace of a lane', () => {
	it('is unlimited before the first refusal', () => {
		const pacer = new RatePacer();
		for (let count = 0; count < 1_000; count += 1) {
			expect(pacer.mayStart(0)).toBe(true);
			pacer.start(0);
		}
		expect(pacer.isClosed).toBe(false);
	});

	it('sends a single request after a refusal, when the time has come', () => {
		const pacer = new RatePacer();
		pacer.refuse(pacer.start(0), 20, 5_000);

		expect([pacer.mayStart(5_019), pacer.opensAt(1_000)]).toEqual([false, 5_020]);
		expect(pacer.mayStart(5_020)).toBe(true);
		pacer.start(5_020);
		expect(pacer.mayStart(5_020)).toBe(false);
		expect(pacer.opensAt(5_020)).toBeUndefined();
	});

	it('tries again soon, and ever more rarely, where the gateway does not say when', () => {
		const pacer = new RatePacer();
		let now = 0;
		const delays = Array.from({ length: 12 }, () => {
			pacer.refuse(pacer.start(now), now);
			const opensAt = pacer.opensAt(now)!;
			const ms = Math.round(opensAt - now);
			now = opensAt;
			return ms;
		});

		const grown = delays.slice(1);
		expect(delays[0]).toBeLessThanOrEqual(1_000);
		expect(grown).toEqual([...grown].sort((one, other) => one - other));
		expect(Math.max(...delays)).toBeLessThanOrEqual(20_000);
	});
});
