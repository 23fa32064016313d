import { RateLimiter } from '../../../nodes/gateway/rateLimit/limiter';
import { createRandom } from '../../support/rateLimits';
import { VirtualClock } from '../../support/virtualClock';

const BATCHES = 40;
const SEEDS = 20;
const LATENCY_MS = 40;

/** Milliseconds that each row of batches waits. `refused` and `overloaded` are shares of 429 and 503. */
async function runBatches(
	{ rows, gapMs, refused, overloaded }: Record<'rows' | 'gapMs' | 'refused' | 'overloaded', number>,
	seed: number,
): Promise<number[]> {
	const clock = new VirtualClock();
	const limiter = new RateLimiter(clock);
	const random = createRandom(seed * 7_919);
	const sendRow = async (): Promise<number> => {
		const acquire = limiter.join(20);
		const begunAt = clock.now();
		for (let notBefore = 0; ;) {
			const permit = await acquire({ kind: 'submit', until: Infinity, notBefore });
			if (typeof permit === 'string') throw new Error(permit);
			const drawn = random();
			const status = drawn < refused ? 429 : drawn < refused + overloaded ? 503 : 200;
			await clock.sleep(LATENCY_MS);
			permit(status);
			if (status === 200) return clock.now() - begunAt;
			notBefore = clock.now() + 1_000;
		}
	};
	const waits: number[] = [];
	const runAll = async () => {
		for (let batch = 0; batch < BATCHES; batch += 1) {
			waits.push(...(await Promise.all(Array.from({ length: rows }, sendRow))));
			await clock.sleep(gapMs);
		}
	};
	await clock.run(runAll());
	return waits;
}

describe.each([
	{ refused: 0.05, overloaded: 0 },
	{ refused: 0, overloaded: 0.05 },
	{ refused: 0.1, overloaded: 0.1 },
])(
	'an account that is used now and then, of whose requests $refused get 429 and $overloaded 503',
	(shares) => {
		it.each([1, 3, 10])('takes the time between batches of %i for no limit', async (rows) => {
			for (const gapMs of [1_000, 10_000, 60_000, 300_000, 3_600_000]) {
				const seeds = Array.from({ length: SEEDS }, (_, seed) => seed + 1);
				const all = await Promise.all(
					seeds.map(async (seed) => await runBatches({ rows, gapMs, ...shares }, seed)),
				);
				expect(Math.max(...all.flat())).toBeLessThan(7_000);
			}
		});
	},
);
