import { learned, mean } from '../../support/limiterTrials';
import {
	createRandom,
	fixedWindow,
	KINDS_OF_TIME,
	slidingWindow,
	tokenBucket,
} from '../../support/rateLimits';
import { simulate, type Situation } from '../../support/rateSimulation';

jest.setTimeout(900_000);

// The delay of a request that is told no time is partly random; a test that fails must fail again.
beforeEach(() => jest.spyOn(Math, 'random').mockImplementation(createRandom(1)));
afterEach(() => jest.restoreAllMocks());

/** What processes take that share nothing but the gateway, as multiples of the least time: the average and the most. */
async function share(
	situation: Pick<Situation, 'limit' | 'retryAfter'> & { processes: number },
	{ rows, seeds }: Record<'rows' | 'seeds', number>,
) {
	const slowdowns: number[] = [];
	let allLost = 0;
	for (let seed = 1; seed <= seeds; seed += 1) {
		const { lost, ms, leastMs } = await simulate(learned, {
			...situation,
			seed,
			latencyMs: 100,
			runs: Array<number>(situation.processes).fill(rows / situation.processes),
			isNetworkRough: true,
		});
		slowdowns.push(ms / leastMs);
		allLost += lost;
	}
	return { lost: allLost, average: mean(slowdowns), most: Math.max(...slowdowns) };
}

describe.each([
	// Two that have found 28 and 32 of 60 need one window more than two that have found 30.
	[2, 1.14, 1.6],
	[4, 1.05, 1.2],
])('%d processes that share nothing but the gateway', (processes, average, bound) => {
	it.each([
		[20, 2_000],
		[60, 20_000],
		[60, 60_000],
	])('get along with %d in %d ms', async (requests, windowMs) => {
		const limit = () => fixedWindow(requests, windowMs);
		const all = [];
		for (const retryAfter of KINDS_OF_TIME)
			all.push(await share({ limit, retryAfter, processes }, { rows: 400, seeds: 20 }));

		expect(all.map(({ lost }) => lost)).toEqual(KINDS_OF_TIME.map(() => 0));
		expect(mean(all.map((each) => each.average))).toBeLessThanOrEqual(average);
		expect(Math.max(...all.map(({ most }) => most))).toBeLessThanOrEqual(bound);
	});
});

it.each([
	[2, '5 in a second', () => fixedWindow(5, 1_000), 1.6, 3],
	[4, '5 in a second', () => fixedWindow(5, 1_000), 3.5, 12],
	[4, '10 in any 10 s', () => slidingWindow(10, 10_000), 1.6, 2],
	[4, 'a bucket of 10, one more each second', () => tokenBucket(10, 1_000), 2, 4.5],
] as const)(
	'%d processes with many rows get along with %s',
	async (processes, _, limit, average, bound) => {
		const situation = { limit, retryAfter: 'in seconds', processes } as const;
		const all = await share(situation, { rows: 1_200, seeds: 10 });

		expect(all.lost).toBe(0);
		expect(all.average).toBeLessThanOrEqual(average);
		expect(all.most).toBeLessThanOrEqual(bound);
	},
);
