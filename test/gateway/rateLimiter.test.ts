import type { GatewayRequest } from '../../nodes/gateway/request';
import type { GatewayError } from '../../nodes/gateway/errors';
import { RateLimiter } from '../../nodes/gateway/rateLimiter';
import { RatePacer } from '../../nodes/gateway/ratePacer';
import { DEFAULT_RETRY, type RequestKind } from '../../nodes/gateway/retry';
import { catchError } from '../support/gatewayClient';
import {
	concurrencyLimit,
	createLimitedServer,
	fixedWindow,
	slidingWindow,
	tokenBucket,
	type RateLimit,
} from '../support/rateLimits';
import { unionLiterals } from '../support/sourceFacts';
import { VirtualClock } from '../support/virtualClock';
import { createVirtualGateway, ok, refusal } from '../support/virtualGateway';

const kinds = unionLiterals('nodes/gateway/retry.ts', 'RequestKind') as RequestKind[];
const submission: GatewayRequest = { kind: 'submit', method: 'POST', path: '/v1/tasks', body: {} };
const read: GatewayRequest = { kind: 'read', method: 'GET', path: '/v1/tasks/task_1' };

const LIMITS: Record<string, { create: () => RateLimit; count: number }> = {
	'60 in a minute of the clock': { create: () => fixedWindow(60, 60_000), count: 300 },
	'10 in 10 s of the clock': { create: () => fixedWindow(10, 10_000), count: 200 },
	'5 in a second of the clock': { create: () => fixedWindow(5, 1_000), count: 200 },
	'300 in a minute of the clock': { create: () => fixedWindow(300, 60_000), count: 2_000 },
	'60 in any minute': { create: () => slidingWindow(60, 60_000), count: 300 },
	'10 in any 10 s': { create: () => slidingWindow(10, 10_000), count: 200 },
	'5 in any second': { create: () => slidingWindow(5, 1_000), count: 200 },
	'a bucket of 10, one more each second': { create: () => tokenBucket(10, 1_000), count: 200 },
	'a bucket of 5, ten more each second': { create: () => tokenBucket(5, 100), count: 500 },
	'a bucket of 60, one more each second': { create: () => tokenBucket(60, 1_000), count: 300 },
	'a bucket of 1, one more in 2 s': { create: () => tokenBucket(1, 2_000), count: 100 },
};
const CONCURRENT: Record<string, { create: () => RateLimit; count: number }> = {
	'1 at once': { create: () => concurrencyLimit(1), count: 60 },
	'3 at once': { create: () => concurrencyLimit(3), count: 200 },
	'8 at once': { create: () => concurrencyLimit(8), count: 400 },
};
const CONCURRENCY = 20;

/** Sends as many submissions at once; `slowdown` is the time taken as a multiple of the least possible. */
async function simulate(
	{ create, count }: { create: () => RateLimit; count: number },
	{ latencyMs, hasRetryAfter }: { latencyMs: number; hasRetryAfter: boolean },
) {
	const limit = create();
	const server = createLimitedServer(() => gateway.clock, limit, { latencyMs, hasRetryAfter });
	const gateway = createVirtualGateway(() => server.answer(), { concurrency: CONCURRENCY });
	const startedAt = gateway.clock.now();
	const all = Array.from({ length: count }, () => gateway.client.request(submission));
	const settled = await gateway.clock.run(Promise.allSettled(all));
	const leastMs = Math.max(
		limit.leastMs(count, latencyMs) + latencyMs,
		Math.ceil(count / CONCURRENCY) * latencyMs,
	);
	return {
		lost: settled.filter(({ status }) => status === 'rejected').length,
		accepted: server.accepted,
		slowdown: (gateway.clock.now() - startedAt) / leastMs,
		refusedShare: server.refused / count,
	};
}

describe.each([
	['tells when to come again', true],
	['does not tell when to come again', false],
])('a gateway that limits requests per time and %s', (_name, hasRetryAfter) => {
	describe.each([200, 3_000])('and takes %d ms for one', (latencyMs) => {
		it.each(Object.entries(LIMITS))('gets all of them within %s', async (_limit, scenario) => {
			const result = await simulate(scenario, { latencyMs, hasRetryAfter });

			expect(result).toMatchObject({ lost: 0, accepted: scenario.count });
			expect(result.slowdown).toBeLessThan(2);
			expect(result.refusedShare).toBeLessThan(0.5);
		});
	});
});

describe.each([200, 3_000, 30_000])('a gateway that takes %d ms for a request', (latencyMs) => {
	it.each(Object.entries(CONCURRENT))('gets all of them with %s', async (_limit, scenario) => {
		const result = await simulate(scenario, { latencyMs, hasRetryAfter: false });

		expect(result).toMatchObject({ lost: 0, accepted: scenario.count });
		expect(result.slowdown).toBeLessThan(2.3);
		expect(result.refusedShare).toBeLessThan(0.75);
	});
});

describe('a limit that is never met', () => {
	it('delays nothing', async () => {
		const scenario = { create: () => fixedWindow(1_000, 60_000), count: 100 };

		expect(await simulate(scenario, { latencyMs: 200, hasRetryAfter: false })).toEqual({
			...{ lost: 0, accepted: 100, slowdown: 1, refusedShare: 0 },
		});
	});
});

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
		const scenario = { create: () => tokenBucket(1, 60_000), count: 12 };
		const { lost, accepted } = await simulate(scenario, { latencyMs: 200, hasRetryAfter: true });

		expect([lost, accepted]).toEqual([0, 12]);
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
		expect(requests).toHaveLength(10);
	});

	it('takes only its own request out of the queue', async () => {
		const clock = new VirtualClock();
		const limiter = new RateLimiter(clock, 1);
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
		expect(pacer.hasBeenRefused).toBe(false);
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
