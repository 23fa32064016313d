import type { GatewayRequest } from '../../nodes/gateway/request';
import { DEFAULT_CONCURRENCY } from '../../nodes/n8n/options';
import {
	concurrencyLimit,
	createLimitedServer,
	fixedWindow,
	KINDS_OF_TIME,
	leastMs,
	slidingWindow,
	tokenBucket,
	type RateLimit,
	type RetryAfter,
} from '../support/rateLimits';
import { createVirtualGateway, ok } from '../support/virtualGateway';

const submission: GatewayRequest = { kind: 'submit', method: 'POST', path: '/v1/tasks', body: {} };
const read: GatewayRequest = { kind: 'read', method: 'GET', path: '/v1/tasks/task_1' };

/** Refusals that are allowed once in a run, to learn. */
const FEW_REFUSALS = 15;

describe('tasks of one run', () => {
	const ROWS = 200;
	const POLLS = 3;

	/** Each row submits a task and polls it each second; a limit of undefined takes all. */
	async function runTasks(
		limits: { submits?: RateLimit; polls?: RateLimit },
		retryAfter: RetryAfter = 'in seconds',
	) {
		const options = { latencyMs: 100, retryAfter };
		const serverOf = (limit?: RateLimit) =>
			limit && createLimitedServer(() => gateway.clock, limit, options);
		const submits = serverOf(limits.submits);
		const polls = limits.polls === limits.submits ? submits : serverOf(limits.polls);
		const gateway = createVirtualGateway(async ({ method }) => {
			const server = method === 'POST' ? submits : polls;
			if (server) return await server.answer();
			await gateway.clock.sleep(options.latencyMs);
			return ok({});
		});
		const { client, clock } = gateway;
		const startedAt = clock.now();
		let submittedAt = 0;
		const row = async () => {
			await client.request(submission);
			submittedAt = clock.now();
			for (let poll = 0; poll < POLLS; poll += 1) {
				await clock.sleep(1_000);
				await client.request(read);
			}
		};
		const settled = await clock.run(Promise.allSettled(Array.from({ length: ROWS }, row)));
		return {
			lost: settled.filter(({ status }) => status === 'rejected').length,
			refused: (submits?.refused ?? 0) + (polls === submits ? 0 : (polls?.refused ?? 0)),
			submitMs: submittedAt - startedAt,
			ms: clock.now() - startedAt,
		};
	}

	it('poll freely while submissions are limited', async () => {
		const { lost, refused, submitMs, ms } = await runTasks({ submits: slidingWindow(10, 5_000) });

		expect([lost, refused <= 0.05 * ROWS + FEW_REFUSALS]).toEqual([0, true]);
		expect(submitMs).toBeLessThanOrEqual(1.1 * 95_000 + 4_000);
		expect(ms - submitMs).toBeLessThanOrEqual(POLLS * 1_100);
	});

	it('are submitted freely while polls are limited, at the rate that the polls of the run have learnt', async () => {
		const { lost, refused, submitMs, ms } = await runTasks({ polls: slidingWindow(10, 1_000) });

		expect([lost, refused <= 0.05 * POLLS * ROWS + 20]).toEqual([0, true]);
		expect(submitMs).toBeLessThanOrEqual(2_500);
		expect(ms).toBeLessThanOrEqual(1.1 * 60_000 + 4_000);
	});

	/** Tokens come back while tests are made, which look like chance then. */
	const SLOW_BUCKET = 'a bucket of 10, one more each 0.5 s';
	const SOME_LIMITS: Record<string, () => RateLimit> = {
		'20 in any 2 s': () => slidingWindow(20, 2_000),
		'20 in 2 s of the clock': () => fixedWindow(20, 2_000),
		'60 in any 20 s': () => slidingWindow(60, 20_000),
		'60 in a minute of the clock': () => fixedWindow(60, 60_000),
		'5 in any second': () => slidingWindow(5, 1_000),
		'a bucket of 10, one more each 0.1 s': () => tokenBucket(10, 100),
		[SLOW_BUCKET]: () => tokenBucket(10, 500),
	};
	const least = (create: () => RateLimit, count: number) =>
		leastMs(create(), { startedAt: 0, count, latencyMs: 100, concurrency: DEFAULT_CONCURRENCY });

	describe.each(Object.entries(SOME_LIMITS))('under %s', (name, create) => {
		const shareOf = (usual: number) => (name === SLOW_BUCKET ? usual + 0.03 : usual);

		it.each(KINDS_OF_TIME)('that counts all requests, Retry-After %s', async (retryAfter) => {
			const all = create();
			const { lost, refused, ms } = await runTasks({ submits: all, polls: all }, retryAfter);

			const mostRefused = shareOf(0.05) * (POLLS + 1) * ROWS + FEW_REFUSALS;
			expect([lost, refused <= mostRefused]).toEqual([0, true]);
			expect(ms).toBeLessThanOrEqual(1.1 * least(create, (POLLS + 1) * ROWS) + 4_000);
		});

		it.each(KINDS_OF_TIME)('for each of both kinds, Retry-After %s', async (retryAfter) => {
			const limits = { submits: create(), polls: create() };
			const { lost, refused, ms } = await runTasks(limits, retryAfter);

			expect([lost, refused <= shareOf(0.1) * (POLLS + 1) * ROWS]).toEqual([0, true]);
			// Where a refusal names a second it is obeyed, though less would do.
			expect(ms).toBeLessThanOrEqual(1.3 * least(create, POLLS * ROWS) + 4_000);
		});

		it.each(KINDS_OF_TIME)(
			'for submissions alone, the polls are not held up, Retry-After %s',
			async (retryAfter) => {
				const { lost, submitMs, ms } = await runTasks({ submits: create() }, retryAfter);

				expect(lost).toBe(0);
				expect(submitMs).toBeLessThanOrEqual(1.3 * least(create, ROWS) + 4_000);
				expect(ms - submitMs).toBeLessThanOrEqual(POLLS * 1_100);
			},
		);
	});

	it('share a limit of requests at once', async () => {
		const all = concurrencyLimit(4);
		const { lost, refused, ms } = await runTasks({ submits: all, polls: all });

		expect([lost, refused <= 0.1 * (POLLS + 1) * ROWS]).toEqual([0, true]);
		expect(ms).toBeLessThanOrEqual(1.5 * 20_000);
	});
});
