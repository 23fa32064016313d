import { Aimd } from '../../nodes/gateway/rateLimit/aimd';
import { LearnedLimit } from '../../nodes/gateway/rateLimit/learnedLimit';
import { LaneLimits } from '../../nodes/gateway/rateLimit/limit';
import { LIMITS } from './limitsOfGateways';
import { KINDS_OF_TIME } from './rateLimits';
import { quantile, simulate, type Situation } from './rateSimulation';

export const learned = () => new LaneLimits(() => new LearnedLimit());
/** As many at first as a run has places. */
export const aimd = () => new Aimd(20);

export const mean = (numbers: readonly number[]) =>
	numbers.reduce((sum, each) => sum + each) / numbers.length;

/** Every limit with every kind of Retry-After. */
export async function simulateAll(
	rows: number,
	latencies: number[],
	more: Partial<Situation> = {},
) {
	const results = [];
	for (const limit of Object.values(LIMITS))
		for (const retryAfter of KINDS_OF_TIME)
			for (const latencyMs of latencies)
				results.push(
					await simulate(learned, { limit, retryAfter, latencyMs, runs: [rows], ...more }),
				);
	const slowdowns = results.map(({ ms, leastMs }) => ms / leastMs);
	return {
		lost: results.reduce((sum, { lost }) => sum + lost, 0),
		p50: quantile(slowdowns, 0.5),
		p90: quantile(slowdowns, 0.9),
		/** Of all situations together, and of half of them at most. */
		refused: results.reduce((sum, { refused }) => sum + refused, 0) / (rows * results.length),
		halfRefused: quantile(
			results.map(({ refused }) => refused / rows),
			0.5,
		),
	};
}

/** What ours takes as a multiple of AIMD, by seed. */
export async function against(situation: (seed: number) => Situation, seeds: number[]) {
	const ratios: number[] = [];
	let lost = 0;
	for (const seed of seeds) {
		const ours = await simulate(learned, situation(seed));
		const theirs = await simulate(aimd, situation(seed));
		ratios.push(ours.ms / theirs.ms);
		lost += ours.lost;
	}
	return { lost, worst: Math.max(...ratios), median: quantile(ratios, 0.5) };
}
