import type { HttpResponse } from '../../nodes/gateway/context';
import type { VirtualClock } from './virtualClock';
import { ok, refusal } from './virtualGateway';

/** How a gateway limits requests. All times in milliseconds. */
export interface RateLimit {
	/** Takes a request now, or gives the time after which one would be taken again; undefined when that depends on the end of another. */
	tryTake(now: number): true | number | undefined;
	/** A request has ended. */
	release?(): void;
	/** The least time in which so many requests can be taken. */
	leastMs(count: number, latencyMs: number): number;
}

/** So many requests in each window of the clock. */
export function fixedWindow(most: number, windowMs: number): RateLimit {
	let [window, taken] = [-1, 0];
	return {
		tryTake(now) {
			const current = Math.floor(now / windowMs);
			if (current !== window) [window, taken] = [current, 0];
			if (taken >= most) return (current + 1) * windowMs - now;
			taken += 1;
			return true;
		},
		leastMs: (count) => (Math.ceil(count / most) - 1) * windowMs,
	};
}

/** So many requests in any time of this length. */
export function slidingWindow(most: number, windowMs: number): RateLimit {
	let taken: number[] = [];
	return {
		tryTake(now) {
			taken = taken.filter((at) => at > now - windowMs);
			if (taken.length >= most) return taken[0]! + windowMs - now;
			taken.push(now);
			return true;
		},
		leastMs: (count) => (Math.ceil(count / most) - 1) * windowMs,
	};
}

/** A bucket that holds so many requests and gets one more each `refillMs`. */
export function tokenBucket(capacity: number, refillMs: number): RateLimit {
	let [tokens, filledAt] = [capacity, 0];
	return {
		tryTake(now) {
			if (filledAt) tokens = Math.min(capacity, tokens + (now - filledAt) / refillMs);
			filledAt = now;
			if (tokens < 1) return (1 - tokens) * refillMs;
			tokens -= 1;
			return true;
		},
		leastMs: (count) => Math.max(0, count - capacity) * refillMs,
	};
}

/** So many requests at once. */
export function concurrencyLimit(most: number): RateLimit {
	let running = 0;
	return {
		tryTake() {
			if (running >= most) return undefined;
			running += 1;
			return true;
		},
		release: () => void (running -= 1),
		leastMs: (count, latencyMs) => Math.ceil(count / most) * latencyMs,
	};
}

export interface LimitedServer {
	accepted: number;
	refused: number;
	/** When the last request was accepted. */
	lastAt: number;
	answer: () => Promise<HttpResponse>;
}

const REFUSAL_MS = 20;

/** Answers requests as a limit allows; `Retry-After` is named in seconds where `tellsRetryAfter`. */
export function createLimitedServer(
	clock: () => VirtualClock,
	limit: RateLimit,
	{ latencyMs, hasRetryAfter }: { latencyMs: number; hasRetryAfter: boolean },
): LimitedServer {
	const server: LimitedServer = {
		accepted: 0,
		refused: 0,
		lastAt: 0,
		async answer() {
			const taken = limit.tryTake(clock().now());
			if (taken !== true) {
				server.refused += 1;
				await clock().sleep(REFUSAL_MS);
				const seconds = taken === undefined ? undefined : Math.ceil(taken / 1000);
				const hasTime = hasRetryAfter && seconds !== undefined;
				return refusal(429, 'Too many', hasTime ? { 'retry-after': String(seconds) } : {});
			}
			server.accepted += 1;
			server.lastAt = clock().now();
			await clock().sleep(latencyMs);
			limit.release?.();
			return ok({ task_id: `task_${server.accepted}` });
		},
	};
	return server;
}
