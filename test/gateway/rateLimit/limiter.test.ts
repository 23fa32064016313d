import { forgetAccounts, limiterOf } from '../../../nodes/gateway/rateLimit/accounts';
import { RateLimiter, type Permit } from '../../../nodes/gateway/rateLimit/limiter';
import type { GatewayRequest } from '../../../nodes/gateway/request';
import { createClient } from '../../../nodes/gateway/client';
import type { GatewayError } from '../../../nodes/gateway/errors';
import { catchError } from '../../support/gatewayClient';
import {
	concurrencyLimit,
	createLimitedServer,
	fixedWindow,
	slidingWindow,
	tokenBucket,
} from '../../support/rateLimits';
import { VirtualClock } from '../../support/virtualClock';
import { createVirtualGateway, ok, refusal, toResponse } from '../../support/virtualGateway';

const submission: GatewayRequest = { kind: 'submit', method: 'POST', path: '/v1/tasks', body: {} };
const read: GatewayRequest = { kind: 'read', method: 'GET', path: '/v1/tasks/task_1' };
const MINUTE = 60_000;

describe('one refusal of an otherwise idle gateway', () => {
	/** 500 rows, one of which is told to wait. */
	async function refuseOnce(retryAfter: string) {
		const sentAt: number[] = [];
		const gateway = createVirtualGateway(async ({ body }, index) => {
			if (body?.row === 7) sentAt.push(gateway.clock.now());
			await gateway.clock.sleep(20);
			return index === 7 ? refusal(429, 'Too many', { 'retry-after': retryAfter }) : ok({});
		});
		const startedAt = gateway.clock.now();
		const until = startedAt + 20 * MINUTE;
		const ends: number[] = [];
		let lost = 0;
		const rows = Array.from({ length: 500 }, async (_, row) => {
			const request = { ...submission, body: { row }, until };
			await gateway.client.request(request).catch(() => (lost += 1));
			ends.push(gateway.clock.now() - startedAt);
		});
		await gateway.clock.run(Promise.all(rows));
		return { lost, sentAt, othersMs: ends.sort((a, b) => a - b)[498]! };
	}

	it('delays one request for 300 s, and the others for some seconds', async () => {
		const { lost, sentAt, othersMs } = await refuseOnce('300');

		expect(lost).toBe(0);
		expect(sentAt[1]! - sentAt[0]!).toBeGreaterThanOrEqual(300_000);
		expect(othersMs).toBeLessThanOrEqual(20_000);
	});

	it.each(['1500', '86400'])('of %s s delays no other row', async (seconds) => {
		const { lost, sentAt, othersMs } = await refuseOnce(seconds);

		expect([lost, sentAt.length]).toEqual([1, 1]);
		expect(othersMs).toBeLessThanOrEqual(20_000);
	});

	/** One row that is told to wait for `retryAfter`, with a Max Wait of so many minutes. */
	async function refuseRow(retryAfter: string, minutes: number) {
		const gateway = createVirtualGateway((_request, index) =>
			index ? ok({}) : refusal(429, 'Too many', { 'retry-after': retryAfter }),
		);
		const startedAt = gateway.clock.now();
		const until = startedAt + minutes * MINUTE;
		const request = gateway.client.request({ ...submission, until });
		const outcome = await gateway.clock.run(
			request.then(
				() => 'accepted',
				(error: GatewayError) => error,
			),
		);
		return { outcome, seconds: (gateway.clock.now() - startedAt) / 1_000 };
	}

	it.each([
		['1500', 20],
		['86400', 20],
		['86400', 1],
	])('of %s s: the row gives up at its own Max Wait of %d minutes', async (retryAfter, minutes) => {
		const { outcome, seconds } = await refuseRow(retryAfter, minutes);

		expect(outcome).toMatchObject({
			code: 'rate_limited',
			details: { billed: 0, retry_after: Number(retryAfter) },
		});
		expect(seconds).toBe(minutes * 60);
	});

	it.each([
		['300', 20],
		['1199', 20],
		['86400', 24 * 60 + 1],
	])('of %s s is waited out within a Max Wait of %d minutes', async (retryAfter, minutes) => {
		const { outcome, seconds } = await refuseRow(retryAfter, minutes);

		expect(outcome).toBe('accepted');
		expect(seconds).toBeGreaterThanOrEqual(Number(retryAfter));
	});
});

describe('a request that is refused', () => {
	it.each([
		['Retry-After in seconds', { 'retry-after': '3' }, 3_000],
		['a date', { 'retry-after': 'Sun, 22 Nov 2026 00:00:05 GMT' }, 5_000 - 20],
		['retry-after-ms', { 'retry-after-ms': '700', 'retry-after': '1' }, 700],
	])('is not sent before its time, by %s', async (_, headers, ms) => {
		const sentAt: number[] = [];
		const gateway = createVirtualGateway(async (_request, index) => {
			sentAt.push(gateway.clock.now());
			await gateway.clock.sleep(20);
			return index ? ok({}) : refusal(429, 'Too many', headers);
		});
		await gateway.clock.run(gateway.client.request(submission));

		expect(sentAt[1]! - sentAt[0]! - 20).toBeGreaterThanOrEqual(ms);
	});

	it('is tried until its own deadline, and says that nothing was billed', async () => {
		const gateway = createVirtualGateway(() => refusal(429));
		const startedAt = gateway.clock.now();
		const rows = Array.from({ length: 50 }, async () => {
			const until = startedAt + 10 * MINUTE;
			const error = await catchError(gateway.client.request({ ...submission, until }));
			return [error.code, error.details.billed, gateway.clock.now() - startedAt];
		});
		const ends = await gateway.clock.run(Promise.all(rows));

		for (const [code, billed, ms] of ends) {
			expect([code, billed]).toEqual(['rate_limited', 0]);
			expect(ms).toBeGreaterThan(9 * MINUTE);
		}
		expect(gateway.requests.length).toBeLessThan(400);
	});

	it('gives up after 20 minutes where it has no deadline', async () => {
		const gateway = createVirtualGateway(() => refusal(429));
		const startedAt = gateway.clock.now();
		await gateway.clock.run(catchError(gateway.client.request(read)));

		expect(gateway.clock.now() - startedAt).toBeLessThanOrEqual(20 * MINUTE);
		expect(gateway.clock.now() - startedAt).toBeGreaterThan(19 * MINUTE);
	});
});

describe('submissions and other requests', () => {
	it('are limited apart once the gateway shows it', async () => {
		const limit = slidingWindow(10, 5_000);
		const gateway = createVirtualGateway(async ({ method }) => {
			const taken = method === 'GET' || limit.tryTake(gateway.clock.now());
			await gateway.clock.sleep(20);
			return taken === true ? ok({}) : refusal(429, 'Too many', { 'retry-after': '5' });
		});
		const startedAt = gateway.clock.now();
		const submissions = Array.from({ length: 100 }, () => gateway.client.request(submission));
		let readMs = 0;
		const reads = async () => {
			await gateway.clock.sleep(1_000);
			for (let at = 0; at < 300; at += 1) await gateway.client.request(read);
			readMs = gateway.clock.now() - startedAt;
		};
		await gateway.clock.run(Promise.all([...submissions, reads()]));

		expect(readMs).toBeLessThanOrEqual(20_000);
		expect(gateway.clock.now() - startedAt).toBeLessThanOrEqual(65_000);
	});
});

describe('submissions and other requests that count together', () => {
	/** 200 rows, each submitted and then read three times. */
	it.each([
		['20 in 2 s', () => fixedWindow(20, 2_000), 90],
		['60 in a minute of the clock', () => fixedWindow(60, 60_000), 860],
		['60 in any minute', () => slidingWindow(60, 60_000), 940],
		['a bucket of 10, one more each second', () => tokenBucket(10, 1_000), 860],
		['8 at once', () => concurrencyLimit(8), 40],
	])('keep to %s', async (_, createLimit, seconds) => {
		for (const latencyMs of [20, 300]) {
			const clock = new VirtualClock();
			const options = { latencyMs, retryAfter: 'in seconds' } as const;
			const server = createLimitedServer(() => clock, createLimit(), options);
			const context = { clock, send: async () => await server.answer(), getSecret: async () => '' };
			const range = { concurrency: 100, longestWaitMs: 60 * MINUTE };
			const client = createClient(context, range);
			const startedAt = clock.now();
			const rows = Array.from({ length: 200 }, async () => {
				await client.request(submission);
				for (let reads = 0; reads < 3; reads += 1) {
					await clock.sleep(1_000);
					await client.request(read);
				}
			});
			await clock.run(Promise.all(rows));

			expect(clock.now() - startedAt).toBeLessThanOrEqual(seconds * 1_000);
		}
	});
});

describe('clients of one account', () => {
	afterEach(forgetAccounts);

	const context = (clock: VirtualClock, account: string | undefined, sent: number[]) => ({
		clock,
		getSecret: async () => '',
		account: async () => account,
		async send() {
			sent.push(clock.now());
			await clock.sleep(20);
			const isFirst = sent.length === 1;
			return toResponse(isFirst ? refusal(429, 'Too many', { 'retry-after': '9' }) : ok({}));
		},
	});

	it('share what a refusal shows, and other accounts do not', async () => {
		const clock = new VirtualClock();
		const [one, two, other] = ['a', 'a', 'b'].map((account) => {
			const sent: number[] = [];
			return { sent, client: createClient(context(clock, account, sent), { concurrency: 2 }) };
		});
		await clock.run(
			Promise.all([
				one!.client.request(read),
				// The first of them tests whether refusals come at random.
				clock.sleep(21).then(async () => await two!.client.request(read)),
				clock.sleep(21).then(async () => await two!.client.request(read)),
				clock.sleep(21).then(async () => await other!.client.request(read)),
			]),
		);

		expect(limiterOf('a', clock).isRefusing).toBe(true);
		expect(two!.sent[1]! - one!.sent[0]!).toBeGreaterThan(500);
		expect(other!.sent[0]! - one!.sent[0]!).toBe(21);
	});

	it('are remembered within bounds, and forgotten when unused', async () => {
		const clock = new VirtualClock();
		const first = limiterOf('first', clock);
		expect(limiterOf('first', clock)).toBe(first);
		for (let count = 0; count < 200; count += 1) limiterOf(`account-${count}`, clock);
		expect(limiterOf('first', clock)).not.toBe(first);
		const again = limiterOf('first', clock);
		await clock.run(clock.sleep(16 * MINUTE));
		limiterOf('second', clock);

		expect(limiterOf('first', clock)).not.toBe(again);
	});
});

it.each([
	[1_000, 100],
	[1_000, 20],
	[20, 3],
])(
	'of %d requests, so many as the client may send are under way: %d',
	async (count, concurrency) => {
		let [underWay, most] = [0, 0];
		const gateway = createVirtualGateway(
			async () => {
				most = Math.max(most, (underWay += 1));
				await gateway.clock.sleep(1_000);
				underWay -= 1;
				return ok({});
			},
			{ concurrency },
		);
		const all = Array.from({ length: count }, () => gateway.client.request(submission));
		await gateway.clock.run(Promise.all(all));

		expect(most).toBe(concurrency);
	},
);

it.each([
	['One client sends 5', 1, 5],
	['Three clients send 15', 3, 15],
	['Thirty clients send 20', 30, 20],
])('%s at first, before an answer shows that more are taken', async (_, clients, most) => {
	const clock = new VirtualClock();
	const limiter = new RateLimiter(clock);
	let sent = 0;
	for (let client = 0; client < clients; client += 1) {
		const acquire = limiter.join(100);
		const options = { kind: 'submit', until: Infinity, notBefore: 0 } as const;
		for (let row = 0; row < 30; row += 1) void acquire(options).then(() => (sent += 1));
	}
	await clock.run(clock.sleep(100));

	expect(sent).toBe(most);
});

it('takes only its own request out of the queue when it is stopped', async () => {
	const clock = new VirtualClock();
	const limiter = new RateLimiter(clock);
	const acquire = limiter.join(1);
	const user = new AbortController();
	const options = { kind: 'read', until: Infinity, notBefore: 0 } as const;
	const first = await acquire(options);
	const second = acquire({ ...options, signal: user.signal });
	const third = acquire(options);
	user.abort();
	if (typeof first === 'function') first(200);

	expect(await second).toBe('stopped');
	expect(typeof (await clock.run(third))).toBe('function');
});

describe('requests wait for a gateway without capacity', () => {
	const SECOND = 1_000;
	type Answer = [kind: 'submit' | 'read', status: number, afterMs?: number];
	/** What waiting submissions are told after these answers. */
	const isOverloadedAfter = async (...answers: Answer[]) => {
		const clock = new VirtualClock();
		const limiter = new RateLimiter(clock);
		const acquire = limiter.join(1);
		await clock.run(
			(async () => {
				for (const [kind, status, afterMs = SECOND] of answers) {
					const permit = await acquire({ kind, until: Infinity, notBefore: 0 });
					(permit as Permit)(status);
					await clock.sleep(afterMs);
				}
			})(),
		);
		return limiter.isOverloaded('submit');
	};

	it.each<[string, boolean, Answer[]]>([
		['one was answered 503', true, [['submit', 503]]],
		['it was a poll', false, [['read', 503]]],
		[
			'one was accepted since',
			false,
			[
				['submit', 503],
				['submit', 200],
			],
		],
		[
			'only a poll was',
			true,
			[
				['submit', 503],
				['read', 200],
			],
		],
		[
			'one was refused since, as invalid',
			true,
			[
				['submit', 503],
				['submit', 400],
			],
		],
		[
			'a limit refuses since',
			false,
			[
				['submit', 503],
				['submit', 429],
			],
		],
		['a minute has passed', false, [['submit', 503, 61 * SECOND]]],
	])('where %s: %s', async (_name, expected, answers) => {
		expect(await isOverloadedAfter(...answers)).toBe(expected);
	});
});
