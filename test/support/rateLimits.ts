import type { HttpResponse } from '../../nodes/gateway/context';
import type { VirtualClock } from './virtualClock';
import { ok, refusal, toResponse } from './virtualGateway';

/** How a gateway limits requests. All times in milliseconds. */
export interface RateLimit {
	/** Takes a request now, or gives the time after which one would be taken again; undefined when that depends on the end of another. */
	tryTake(now: number): true | number | undefined;
	/** A request has ended. */
	release?(now: number): void;
	/** Where it is one of windows. */
	windowMs?: number;
}

/** So many requests in each window of the clock; `offsetMs` of the first one have passed. */
export function fixedWindow(most: number, windowMs: number, offsetMs = 0): RateLimit {
	let [window, taken] = [-1, 0];
	return {
		windowMs,
		tryTake(now) {
			const current = Math.floor((now + offsetMs) / windowMs);
			if (current !== window) [window, taken] = [current, 0];
			if (taken >= most) return (current + 1) * windowMs - now - offsetMs;
			taken += 1;
			return true;
		},
	};
}

/** So many requests in any time of this length. */
export function slidingWindow(most: number, windowMs: number): RateLimit {
	let taken: number[] = [];
	return {
		windowMs,
		tryTake(now) {
			taken = taken.filter((at) => at > now - windowMs);
			if (taken.length >= most) return taken[0]! + windowMs - now;
			taken.push(now);
			return true;
		},
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
	};
}

/** So many requests at once. Each is counted for `lagMs` after its response. */
export function concurrencyLimit(most: number, lagMs = 0): RateLimit {
	let running = 0;
	let leaving: number[] = [];
	return {
		tryTake(now) {
			leaving = leaving.filter((at) => at > now);
			if (running + leaving.length >= most) return leaving.length ? leaving[0]! - now : undefined;
			running += 1;
			return true;
		},
		release(now) {
			running -= 1;
			leaving.push(now + lagMs);
		},
	};
}

/** So many requests at once until this time has passed since the first one, then more. */
export function risingConcurrency(before: number, afterMs: number, after: number): RateLimit {
	let [running, startedAt] = [0, Infinity];
	return {
		tryTake(now) {
			startedAt = Math.min(startedAt, now);
			if (running >= (now - startedAt < afterMs ? before : after)) return undefined;
			running += 1;
			return true;
		},
		release: () => void (running -= 1),
	};
}

/** So many requests at once, and what `other` allows. */
export function concurrencyAnd(most: number, other: RateLimit): RateLimit {
	const places = concurrencyLimit(most);
	return {
		tryTake(now) {
			const place = places.tryTake(now);
			if (place !== true) return place;
			const taken = other.tryTake(now);
			if (taken !== true) places.release!(now);
			return taken;
		},
		release: places.release,
		windowMs: other.windowMs,
	};
}

/** The time in which so many requests are done by one who knows the limit. */
export function leastMs(
	limit: RateLimit,
	{
		startedAt,
		count,
		latencyMs,
		concurrency,
	}: Record<'startedAt' | 'count' | 'latencyMs' | 'concurrency', number>,
): number {
	let now = startedAt;
	let ends: number[] = [];
	const isTaken = () => {
		ends = ends.filter((end) => {
			if (end <= now) limit.release?.(end);
			return end > now;
		});
		if (ends.length >= concurrency) return undefined;
		return limit.tryTake(now);
	};
	for (let sent = 0; sent < count; sent += 1) {
		for (let taken = isTaken(); taken !== true; taken = isTaken())
			now = taken === undefined ? ends[0]! : now + Math.max(taken, 0.001);
		ends.push(now + latencyMs);
	}
	return ends.at(-1)! - startedAt;
}

export const KINDS_OF_TIME = ['exact', 'in seconds', 'always 1', 'not named'] as const;
/** The time that a refusal names in `Retry-After`: the right one, in whole seconds, a second whatever the reason, or none. */
export type RetryAfter = (typeof KINDS_OF_TIME)[number];

export interface LimitedServer {
	accepted: number;
	refused: number;
	/** Those of the refused that arrived after the first refusal was answered. */
	refusedLater: number;
	answer: () => Promise<HttpResponse>;
}

export interface LimitedServerOptions {
	latencyMs: number;
	retryAfter: RetryAfter;
	/** Numbers from 0 to 1 that make times vary, as on a real network. */
	random?: () => number;
	/** What is answered to one request too many; 429 unless given. */
	refusedStatus?: number;
	/** How long a refusal takes besides its way, about. */
	refusalMs?: number;
}

const REFUSAL_MS = 20;
const LONGEST_WAY_MS = 30;

/** Answers requests as a limit allows. */
export function createLimitedServer(
	clock: () => VirtualClock,
	limit: RateLimit,
	{ latencyMs, retryAfter, random, refusedStatus = 429, refusalMs = 0 }: LimitedServerOptions,
): LimitedServer {
	let firstRefusalAt = Infinity;
	const travel = async () => await (random && clock().sleep(random() * LONGEST_WAY_MS));
	const headersOf = (waitMs: number | undefined) => {
		const seconds = {
			exact: waitMs && waitMs / 1000,
			'in seconds': waitMs && Math.ceil(waitMs / 1000),
			'always 1': 1,
			'not named': undefined,
		}[retryAfter];
		return seconds === undefined ? {} : { 'retry-after': String(seconds) };
	};
	const server: LimitedServer = {
		accepted: 0,
		refused: 0,
		refusedLater: 0,
		async answer() {
			await travel();
			const taken = limit.tryTake(clock().now());
			if (taken !== true) {
				server.refused += 1;
				if (clock().now() >= firstRefusalAt) server.refusedLater += 1;
				if (refusalMs) await clock().sleep(refusalMs * (random ? 0.7 + 0.6 * random() : 1));
				await (random ? travel() : clock().sleep(Math.min(REFUSAL_MS, latencyMs)));
				firstRefusalAt = Math.min(firstRefusalAt, clock().now());
				return toResponse(refusal(refusedStatus, 'Too many', headersOf(taken)));
			}
			server.accepted += 1;
			const id = server.accepted;
			await clock().sleep(latencyMs * (random ? 0.7 + 0.6 * random() : 1));
			limit.release?.(clock().now());
			await travel();
			return toResponse(ok({ task_id: `task_${id}` }));
		},
	};
	return server;
}

/** The same numbers from 0 to 1 each time. */
export function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
		return state / 0x7fffffff;
	};
}

/** Refuses this share of all requests, whatever is sent. */
export const randomly = (share: number, random: () => number): RateLimit => ({
	tryTake: () => random() >= share || undefined,
});

/** Another client uses the whole limit for so long in each period. */
export function busyFor(busyMs: number, periodMs: number, limit: RateLimit): RateLimit {
	return {
		tryTake(now) {
			if (now % periodMs < busyMs) while (limit.tryTake(now) === true);
			return limit.tryTake(now);
		},
	};
}

/** One limit until this time has passed since the first request, then another. */
export function changing(before: RateLimit, afterMs: number, after: RateLimit): RateLimit {
	let startedAt: number | undefined;
	return {
		tryTake(now) {
			startedAt ??= now;
			return (now - startedAt < afterMs ? before : after).tryTake(now);
		},
	};
}
