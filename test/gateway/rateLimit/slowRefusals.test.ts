import { LearnedLimit } from '../../../nodes/gateway/rateLimit/learnedLimit';
import { against, simulateAll } from '../../support/limiterTrials';
import { createRandom, randomly } from '../../support/rateLimits';

jest.setTimeout(900_000);

// The delay of a request that is told no time is partly random; a test that fails must fail again.
beforeEach(() => jest.spyOn(Math, 'random').mockImplementation(createRandom(1)));
afterEach(() => jest.restoreAllMocks());

// As on the way to another continent. A test without an answer must not count as accepted too early.
it.each([
	[100, 0.11, 1.4],
	[200, 0.16, 1.3],
	[400, 0.3, 1.45],
	[1_000, 0.35, 2.2],
])(
	'few requests are refused where a refusal takes %d ms',
	async (refusalMs, mostRefused, slowest) => {
		const { lost, p90, refused } = await simulateAll(200, [refusalMs + 100], {
			refusalMs,
			isNetworkRough: true,
		});

		expect(lost).toBe(0);
		expect(p90).toBeLessThanOrEqual(slowest);
		expect(refused).toBeLessThanOrEqual(mostRefused);
	},
);

it.each([
	[0.01, 2.7, 10],
	[0.05, 2, 3],
	[0.1, 1.5, 2],
])('%d of all requests are refused by chance after 200 ms', async (share, middle, most) => {
	const { lost, median, worst } = await against(
		(seed) => ({
			limit: (random) => randomly(share, random),
			retryAfter: 'always 1',
			refusalMs: 200,
			latencyMs: 200,
			runs: [1_000],
			seed,
		}),
		[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
	);

	expect(lost).toBe(0);
	expect(median).toBeLessThanOrEqual(middle);
	expect(worst).toBeLessThanOrEqual(most);
});

// A refusal of seconds is a failure of the gateway, not its limit.
it.each([
	[20, 150],
	[400, 800],
	[8_000, 150],
])('after a refusal of %d ms, a test counts as accepted after %d ms', (refusalMs, acceptedMs) => {
	const limit = new LearnedLimit();
	limit.start(0, true)(429, refusalMs);
	limit.start(refusalMs, false);

	expect(limit.opensAt(refusalMs, 1)).toBe(refusalMs + acceptedMs);
});
