import type { GatewayRequest } from '../../nodes/gateway/request';
import { DEFAULT_CONCURRENCY, MOST_CONCURRENCY } from '../../nodes/n8n/options';
import {
	concurrencyAnd,
	concurrencyLimit,
	createLimitedServer,
	createRandom,
	fixedWindow,
	KINDS_OF_TIME,
	leastMs,
	slidingWindow,
	tokenBucket,
	type RateLimit,
	type RetryAfter,
} from '../support/rateLimits';
import { createVirtualGateway, ok, refusal } from '../support/virtualGateway';

const submission: GatewayRequest = { kind: 'submit', method: 'POST', path: '/v1/tasks', body: {} };

/**
 * What each limit may cost at most: the time as a multiple of the least possible, with `learningMs` once
 * in a run, and the requests that are refused after the first refusal was answered, as a share of all with
 * `FEW_REFUSALS` once in a run. Those that were out before the first refusal came back are refused
 * whatever one does; they are no more than are under way at once.
 */
interface Bounds {
	slowdown: number;
	learningMs: number;
	refusedShare: number;
}

const USUAL: Bounds = { slowdown: 1.1, learningMs: 4_000, refusedShare: 0.05 };
/** A bucket fills up while a run waits, so more than its rate holds for a while, is believed, and is refused. */
const BUCKET: Partial<Bounds> = { refusedShare: 0.075 };
const FEW_REFUSALS = 15;
/** Of a limit that has windows: no more than these, even where that is a smaller share. */
const REFUSALS_A_WINDOW = 2;

const PER_TIME: Record<string, { create: () => RateLimit; bounds?: Partial<Bounds> }> = {
	'60 in a minute of the clock': { create: () => fixedWindow(60, 60_000) },
	'60 in a minute of the clock that has begun': {
		create: () => fixedWindow(60, 60_000, 23_000),
		// Nobody names the end of the minute, so the probes come 20 s apart.
		bounds: { learningMs: 10_000 },
	},
	'10 in 10 s of the clock': { create: () => fixedWindow(10, 10_000) },
	'10 in 10 s of the clock that have begun': { create: () => fixedWindow(10, 10_000, 3_700) },
	'5 in a second of the clock': { create: () => fixedWindow(5, 1_000) },
	'5 in a second of the clock that has begun': { create: () => fixedWindow(5, 1_000, 370) },
	'300 in a minute of the clock': { create: () => fixedWindow(300, 60_000) },
	'60 in any minute': { create: () => slidingWindow(60, 60_000) },
	'10 in any 10 s': { create: () => slidingWindow(10, 10_000) },
	'5 in any second': { create: () => slidingWindow(5, 1_000) },
	'7 in any 3.3 s': { create: () => slidingWindow(7, 3_300) },
	'a bucket of 10, one more each second': { create: () => tokenBucket(10, 1_000), bounds: BUCKET },
	'a bucket of 60, one more each second': { create: () => tokenBucket(60, 1_000), bounds: BUCKET },
	'a bucket of 5, ten more each second': {
		create: () => tokenBucket(5, 100),
		// A second is named where a tenth would do, and obeyed.
		bounds: { slowdown: 1.15, refusedShare: 0.1 },
	},
	'a bucket of 1, one more in 2 s': {
		create: () => tokenBucket(1, 2_000),
		// Where a request takes 3 s, this is the same as one at once, until two are tried.
		bounds: { slowdown: 1.45, refusedShare: 0.15 },
	},
	'a bucket of 1, five more each second': {
		create: () => tokenBucket(1, 200),
		// A second is named where a fifth would do, and obeyed after each trial.
		bounds: { ...BUCKET, slowdown: 1.6, learningMs: 6_000 },
	},
	'3 at once and 10 in any 10 s': { create: () => concurrencyAnd(3, slidingWindow(10, 10_000)) },
	'8 at once and 60 in a minute of the clock': {
		create: () => concurrencyAnd(8, fixedWindow(60, 60_000)),
	},
	'5 at once and a bucket of 10, two more each second': {
		create: () => concurrencyAnd(5, tokenBucket(10, 500)),
		// A token that has come meanwhile looks like chance.
		bounds: { refusedShare: 0.09 },
	},
};
const AT_ONCE: Record<string, { create: () => RateLimit; bounds?: Partial<Bounds> }> = {
	'1 at once': { create: () => concurrencyLimit(1) },
	'3 at once': { create: () => concurrencyLimit(3) },
	'8 at once': { create: () => concurrencyLimit(8) },
	'10 at once': { create: () => concurrencyLimit(10) },
};
/** A limit at once that is learnt costs less than a second of waiting. */
const AT_ONCE_BOUNDS: Partial<Bounds> = { learningMs: 300, refusedShare: 0.02 };

const LATENCIES = [20, 200, 3_000];
/** The first grows as in a run whose user has set none. */
const CONCURRENCIES = [DEFAULT_CONCURRENCY, 50];
const mostOf = (concurrency: number) =>
	concurrency === DEFAULT_CONCURRENCY ? MOST_CONCURRENCY : concurrency;
/** Long runs take long here too, so they are taken for the usual concurrency. */
const runsOf = (latencyMs: number) =>
	[20, 200, 2_000].flatMap((count) =>
		CONCURRENCIES.filter(
			(concurrency) => count < 2_000 || (concurrency === 20 && latencyMs > 20),
		).map((concurrency) => ({ count, concurrency, latencyMs })),
	);
const ALL_RUNS = LATENCIES.flatMap(runsOf);

interface Run {
	count: number;
	concurrency: number;
	latencyMs: number;
	retryAfter: RetryAfter;
	random?: () => number;
	request?: GatewayRequest;
}

/** Sends as many requests at once. */
async function simulate(create: () => RateLimit, run: Run) {
	const { count, concurrency, request = submission } = run;
	const server = createLimitedServer(() => gateway.clock, create(), run);
	const options = { concurrency, mostConcurrency: mostOf(concurrency) };
	const gateway = createVirtualGateway(() => server.answer(), options);
	const startedAt = gateway.clock.now();
	const all = Array.from({ length: count }, () => gateway.client.request(request));
	const settled = await gateway.clock.run(Promise.allSettled(all));
	return {
		lost: settled.filter(({ status }) => status === 'rejected').length,
		accepted: server.accepted,
		refusedFirst: server.refused - server.refusedLater,
		refusedLater: server.refusedLater,
		ms: gateway.clock.now() - startedAt,
		least: leastMs(create(), { ...run, startedAt }),
	};
}

/** The runs that cost more than they may, as sentences. */
async function violations(
	create: () => RateLimit,
	bounds: Bounds,
	retryAfter: RetryAfter,
	runs = ALL_RUNS,
): Promise<string[]> {
	const found: string[] = [];
	for (const run of runs) {
		const { count, concurrency, latencyMs } = run;
		const result = await simulate(create, { ...run, retryAfter });
		const mostMs = bounds.slowdown * result.least + bounds.learningMs;
		const { windowMs = 0 } = create();
		const windows = windowMs ? Math.ceil(result.ms / windowMs) + 1 : Infinity;
		const mostLater =
			Math.min(bounds.refusedShare * count, REFUSALS_A_WINDOW * windows) + FEW_REFUSALS;
		const isKept =
			result.lost === 0 &&
			result.accepted === count &&
			result.ms <= mostMs &&
			result.refusedFirst <= mostOf(concurrency) &&
			result.refusedLater <= mostLater;
		if (!isKept)
			found.push(
				`${count} rows of ${latencyMs} ms, ${concurrency} at once: ${JSON.stringify({ ...result, mostMs, mostLater })}`,
			);
	}
	return found;
}

describe.each(KINDS_OF_TIME)(
	'a gateway that limits requests per time, with Retry-After %s,',
	(retryAfter) => {
		it.each(Object.entries(PER_TIME))('gets all of them within %s', async (_, limit) => {
			const bounds = { ...USUAL, ...limit.bounds };

			// The other two are the extremes: the right second, and nothing.
			const areAll = retryAfter === 'in seconds' || retryAfter === 'not named';
			const runs = ALL_RUNS.filter(({ count }) => areAll || count < 2_000);

			expect(await violations(limit.create, bounds, retryAfter, runs)).toEqual([]);
		});
	},
);

describe.each<RetryAfter>(['always 1', 'not named'])(
	'a gateway that limits requests at once, with Retry-After %s,',
	(retryAfter) => {
		it.each(Object.entries(AT_ONCE))('gets all of them with %s', async (_, limit) => {
			const bounds = { ...USUAL, ...AT_ONCE_BOUNDS };

			expect(await violations(limit.create, bounds, retryAfter)).toEqual([]);
		});
	},
);

describe('a gateway without a limit', () => {
	const unlimited = (): RateLimit => ({ tryTake: () => true });

	it.each([20, 200, 3_000])('is not held up, where a request takes %d ms', async (latencyMs) => {
		for (const { count, concurrency } of runsOf(latencyMs)) {
			const run = { count, concurrency, latencyMs, retryAfter: 'not named' as const };
			const { ms, least, lost } = await simulate(unlimited, run);

			// Many rows begin with a few, which are confirmed within 80 ms each time their number doubles.
			expect([lost, ms <= least + 240]).toEqual([0, true]);
			if (count < 8 * concurrency) expect(ms).toBe(least);
		}
	});
});

describe('on a network where times vary and requests overtake each other', () => {
	const { '1 at once': one, '3 at once': three, '8 at once': eight } = AT_ONCE;
	const limits = {
		...{ '1 at once': one!, '3 at once': three!, '8 at once': eight! },
		'60 in a minute of the clock': PER_TIME['60 in a minute of the clock']!,
		'10 in any 10 s': PER_TIME['10 in any 10 s']!,
		'5 in any second': PER_TIME['5 in any second']!,
		'a bucket of 10, one more each second': PER_TIME['a bucket of 10, one more each second']!,
		'3 at once and 10 in any 10 s': PER_TIME['3 at once and 10 in any 10 s']!,
	};

	it.each(Object.entries(limits))('it gets all of them within %s', async (_, { create }) => {
		for (const retryAfter of ['in seconds', 'not named'] as const)
			for (const seed of [1, 2, 3]) {
				const random = createRandom(seed);
				const result = await simulate(create, {
					...{ count: 400, concurrency: 20, latencyMs: 200, retryAfter, random },
				});

				expect(result).toMatchObject({ lost: 0, accepted: 400 });
				expect(result.ms / result.least).toBeLessThanOrEqual(1.4);
				expect(result.refusedFirst + result.refusedLater).toBeLessThanOrEqual(60);
			}
	});
});

describe('on a network where times vary', () => {
	it.each(Object.entries({ ...PER_TIME, ...AT_ONCE }))(
		'no row is lost within %s',
		async (_, { create }) => {
			for (const retryAfter of KINDS_OF_TIME)
				for (let seed = 1; seed <= 4; seed += 1) {
					const random = createRandom(seed * 7_919);
					const [concurrency, latencyMs] = [seed % 2 ? 20 : 50, seed < 3 ? 200 : 800];
					const run = { count: 150, concurrency, latencyMs, retryAfter, random };

					expect(await simulate(create, run)).toMatchObject({ lost: 0, accepted: 150 });
				}
		},
	);
});

describe.each([0.01, 0.05, 0.1])('a gateway that refuses %d of all, whatever is sent,', (share) => {
	it.each<RetryAfter>(['always 1', 'not named'])(
		'is sent no fewer for long, with Retry-After %s',
		async (retryAfter) => {
			for (const latencyMs of [20, 200])
				for (let seed = 1; seed <= 6; seed += 1) {
					const random = createRandom(seed * 7_919);
					const create = (): RateLimit => ({ tryTake: () => random() >= share || undefined });
					const run = { count: 1_000, concurrency: 20, latencyMs, retryAfter };
					const { lost, ms, refusedFirst, refusedLater } = await simulate(create, run);

					// Without refusals 1 to 10 s; what is refused waits the second that is named.
					expect([lost, ms <= (share < 0.1 ? 40_000 : 150_000)]).toEqual([0, true]);
					expect(refusedFirst + refusedLater).toBeLessThanOrEqual(1.5 * share * 1_000 + 10);
				}
		},
	);

	it('is sent what it refused when the time has come that it named', async () => {
		const random = createRandom(7_919);
		const [refusedAt, early]: [Map<unknown, number>, number[]] = [new Map(), []];
		const gateway = createVirtualGateway(async ({ body }) => {
			const now = gateway.clock.now();
			const waitedMs = now - (refusedAt.get(body?.row) ?? -Infinity);
			if (waitedMs < 1_000) early.push(waitedMs);
			await gateway.clock.sleep(20);
			if (random() >= share) return ok({});
			refusedAt.set(body?.row, now);
			return refusal(429, 'Too many', { 'retry-after': '1' });
		});
		const rows = Array.from({ length: 1_000 }, (_, row) =>
			gateway.client.request({ ...submission, body: { row } }),
		);
		await gateway.clock.run(Promise.all(rows));

		// The first ones were tests: until then nobody knew whom the time was meant for.
		expect(refusedAt.size).toBeGreaterThan(4);
		expect(early.length).toBeLessThanOrEqual(8);
	});
});
