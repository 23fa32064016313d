import { Aimd } from '../../../nodes/gateway/rateLimit/aimd';
import { LearnedLimit } from '../../../nodes/gateway/rateLimit/learnedLimit';
import { LaneLimits } from '../../../nodes/gateway/rateLimit/limit';
import { LIMITS } from '../../support/limitsOfGateways';
import { createRandom, KINDS_OF_TIME, randomly } from '../../support/rateLimits';
import { quantile, simulate, type Situation } from '../../support/rateSimulation';

jest.setTimeout(900_000);

const learned = () => new LaneLimits(() => new LearnedLimit());

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
		const [slowdowns, shares, losses]: [number[], number[], number[]] = [[], [], []];
		for (const limit of Object.values(LIMITS))
			for (const retryAfter of KINDS_OF_TIME) {
				const { lost, ms, leastMs, refused } = await simulate(learned, {
					limit,
					retryAfter,
					refusalMs,
					latencyMs: refusalMs + 100,
					runs: [200],
					isNetworkRough: true,
				});
				slowdowns.push(ms / leastMs);
				shares.push(refused / 200);
				losses.push(lost);
			}

		expect(losses.every((lost) => lost === 0)).toBe(true);
		expect(quantile(slowdowns, 0.9)).toBeLessThanOrEqual(slowest);
		const refused = shares.reduce((sum, share) => sum + share) / shares.length;
		expect(refused).toBeLessThanOrEqual(mostRefused);
	},
);

it.each([
	[0.01, 2.7, 10],
	[0.05, 2, 3],
	[0.1, 1.5, 2],
])('%d of all requests are refused by chance after 200 ms', async (share, middle, most) => {
	const ratios: number[] = [];
	for (let seed = 1; seed <= 10; seed += 1) {
		const situation: Situation = {
			limit: (random) => randomly(share, random),
			retryAfter: 'always 1',
			refusalMs: 200,
			latencyMs: 200,
			runs: [1_000],
			seed,
		};
		const ours = await simulate(learned, situation);
		const theirs = await simulate(() => new Aimd(20), situation);
		ratios.push(ours.ms / theirs.ms);

		expect(ours.lost).toBe(0);
	}

	expect(quantile(ratios, 0.5)).toBeLessThanOrEqual(middle);
	expect(Math.max(...ratios)).toBeLessThanOrEqual(most);
});
