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

describe('clients that come and go, of whose requests a tenth gets 429', () => {
	const ROWS = 30;

	/** Milliseconds in which all have sent their rows, one after the other, so far apart at most. */
	const runClients = async (clients: number, gapMs: number, seed: number): Promise<number> => {
		const clock = new VirtualClock();
		const limiter = new RateLimiter(clock);
		const random = createRandom(seed * 7_919);
		const begunAt = clock.now();
		const runClient = async () => {
			const acquire = limiter.join(20);
			for (let row = 0; row < ROWS; row += 1) {
				const kind = row % 3 ? 'read' : 'submit';
				for (let notBefore = 0, isRefused = true; isRefused;) {
					const permit = await acquire({ kind, until: Infinity, notBefore });
					if (typeof permit === 'string') throw new Error(permit);
					isRefused = random() < 0.1;
					await clock.sleep(LATENCY_MS * (0.5 + random()));
					permit(isRefused ? 429 : 200);
					notBefore = clock.now() + 1_000 * (1 + random() / 4);
				}
				await clock.sleep(random() * gapMs);
			}
		};
		await clock.run(Promise.all(Array.from({ length: clients }, runClient)));
		return clock.now() - begunAt;
	};

	it.each([
		[5, 300],
		[10, 300],
		[30, 50],
	])('are not held back for minutes: %d of them, up to %d ms apart', async (clients, gapMs) => {
		const times: number[] = [];
		for (let seed = 1; seed <= 200; seed += 1) times.push(await runClients(clients, gapMs, seed));

		expect(Math.max(...times)).toBeLessThan(85_000);
	});
});
