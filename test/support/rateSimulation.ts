import { createClient } from '../../nodes/gateway/client';
import type { Limit } from '../../nodes/gateway/rateLimit/limit';
import { RateLimiter } from '../../nodes/gateway/rateLimit/limiter';
import type { GatewayRequest } from '../../nodes/gateway/request';
import {
	createLimitedServer,
	createRandom,
	leastMs,
	type RateLimit,
	type RetryAfter,
} from './rateLimits';
import { VirtualClock } from './virtualClock';

/** Runs that send their rows at a gateway with a limit, all from the same moment on. */
export interface Situation {
	limit: (random: () => number) => RateLimit;
	latencyMs: number;
	retryAfter: RetryAfter;
	/** Rows of each run. */
	runs: number[];
	/** The runs are spread over so many processes, which share nothing but the gateway. */
	processes?: number;
	/** Makes the times of the network vary, and chance repeatable. */
	seed?: number;
	isNetworkRough?: boolean;
	refusedStatus?: number;
	/** How long a refusal takes besides its way, about. */
	refusalMs?: number;
	/** Unless given, a day. */
	longestWaitMs?: number;
}

export interface SimulationResult {
	lost: number;
	ms: number;
	/** What one needs who knows the limit and sends 20 requests of each run at once. */
	leastMs: number;
	accepted: number;
	refused: number;
	/** The refused that arrived after the first refusal was answered. */
	refusedLater: number;
	/** When each run was done, in milliseconds. */
	ends: number[];
}

/** Of each run, as for a node where it is not set. */
const CONCURRENCY = 100;

const submission: GatewayRequest = { kind: 'submit', method: 'POST', path: '/v1/tasks', body: {} };

/** Sends all rows through the real client, on virtual time. */
export async function simulate(
	createLimit: () => Limit,
	situation: Situation,
): Promise<SimulationResult> {
	const { runs, processes = 1, seed = 1 } = situation;
	const { latencyMs, retryAfter, refusedStatus, refusalMs, isNetworkRough } = situation;
	const clock = new VirtualClock();
	const random = createRandom(seed * 7_919);
	const server = createLimitedServer(() => clock, situation.limit(random), {
		latencyMs,
		retryAfter,
		refusedStatus,
		refusalMs,
		random: isNetworkRough ? random : undefined,
	});
	const limiters = Array.from({ length: processes }, () => new RateLimiter(clock, createLimit()));
	const context = { clock, send: async () => await server.answer(), getSecret: async () => '' };
	const startedAt = clock.now();
	let lost = 0;
	const ends = runs.map(async (rows, run) => {
		const client = createClient(context, {
			concurrency: CONCURRENCY,
			limiter: limiters[run % processes],
			longestWaitMs: situation.longestWaitMs ?? 24 * 3_600_000,
		});
		const all = Array.from({ length: rows }, async () => await client.request(submission));
		const settled = await Promise.allSettled(all);
		lost += settled.filter(({ status }) => status === 'rejected').length;
		return clock.now() - startedAt;
	});
	const finished = await clock.run(Promise.all(ends), 48 * 3_600_000);
	const count = runs.reduce((sum, rows) => sum + rows, 0);
	const { accepted, refused, refusedLater } = server;
	return {
		lost,
		accepted,
		refused,
		refusedLater,
		ends: finished,
		ms: Math.max(...finished),
		leastMs: leastMs(situation.limit(createRandom(seed * 7_919)), {
			startedAt,
			count,
			latencyMs,
			concurrency: 20 * runs.length,
		}),
	};
}

/** The value that this share of all does not exceed. */
export function quantile(numbers: number[], share: number): number {
	const sorted = [...numbers].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
