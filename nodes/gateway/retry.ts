import type { ErrorCode } from './errorCodes';

/**
 * What a request does at the gateway decides whether it may be sent again: a `read` changes nothing,
 * a `submit` carries an idempotency key, an `idempotent` write ends in the same state however often it
 * arrives (cancel), any other `write` might be billed or done twice.
 */
export type RequestKind = 'read' | 'submit' | 'idempotent' | 'write';

export interface RetryOptions {
	/** Attempts in all, the first included; a 429 does not count as one. */
	attempts: number;
	/** Milliseconds the delays after failures may take together; the delays after a 429 do not count. */
	budgetMs: number;
	/** How many 429s are waited out; unless given, as many as fit before the request's deadline. */
	refusals?: number;
	/** Milliseconds before the second attempt, doubling after. */
	firstDelayMs: number;
}

export const DEFAULT_RETRY: RetryOptions = { attempts: 6, budgetMs: 120_000, firstDelayMs: 400 };
const LONGEST_DELAY_MS = 20_000;
/** After a 429 that names no time the account's limiter decides; this only keeps one request from being refused in a row. */
const LONGEST_REFUSED_DELAY_MS = 2_000;
/** The shortest delay after a 429. A Retry-After of 0 is not believed. */
const SHORTEST_REFUSED_DELAY_MS = 40;

/** Statuses below 500 that say nothing about whether the request was carried out. */
const UNCLEAR_STATUSES: ReadonlySet<number> = new Set([408, 409, 425]);

export const isUnclearStatus = (status: number): boolean => UNCLEAR_STATUSES.has(status);

/** No capacity (spec section 7 names 502 so): of the statuses above 499 these say that nothing was done. */
const OVERLOAD_STATUSES: ReadonlySet<unknown> = new Set([502, 503]);

export const isOverloadStatus = (status: unknown): boolean => OVERLOAD_STATUSES.has(status);

/** Errors without a status that were certainly not carried out. No attempt would end otherwise. */
const FINAL_CODES: ReadonlySet<ErrorCode> = new Set(['invalid_credential', 'redirected']);

/** Whether a request that met this status (undefined: no usable response) may be sent again. */
export function isRetryable(kind: RequestKind, status: number | undefined): boolean {
	if (status === 429) return true;
	if (kind === 'write') return false;
	return status === undefined || status >= 500 || isUnclearStatus(status);
}

/** What is known of a request from its attempts so far. */
export interface RequestHistory {
	readonly kind: RequestKind;
	readonly options: RetryOptions;
	/** Unix milliseconds: no attempt begins later. */
	readonly until: number;
	/** Attempts that failed otherwise than by a 429. */
	readonly failures: number;
	/** Attempts that were answered with 429. */
	readonly refusals: number;
	/** Milliseconds of delay after failures. */
	readonly delayedMs: number;
	/** Some attempt ended without saying what it cost. */
	readonly isBillingUnknown: boolean;
	/** Some attempt may have been carried out though its reply was lost. */
	readonly mayHaveExecuted: boolean;
}

export const startHistory = (
	kind: RequestKind,
	options: RetryOptions,
	until: number,
): RequestHistory => ({
	...{ kind, options, until, failures: 0, refusals: 0, delayedMs: 0 },
	...{ isBillingUnknown: false, mayHaveExecuted: false },
});

/** An attempt that did not succeed. */
export interface FailedAttempt {
	/** Undefined when no usable response came. */
	status?: number;
	code: ErrorCode;
	/** What the response asks for. */
	retryAfterMs?: number;
	/** Unix milliseconds. */
	endedAt: number;
	/** The user has stopped the execution. */
	isStopped: boolean;
}

export interface Decision {
	history: RequestHistory;
	/** Unix milliseconds of the next attempt at the earliest, which may be after the deadline; undefined when there is none. */
	retryAt?: number;
}

/** The whole retry policy: what an attempt adds to the history of its request, and when the next one may begin. */
export function decide(before: RequestHistory, attempt: FailedAttempt): Decision {
	const { kind, options, until } = before;
	const { status, code, retryAfterMs, endedAt, isStopped } = attempt;
	const isRefused = status === 429;
	const isFinal = FINAL_CODES.has(code);
	const isUnclear = !isFinal && (status === undefined || status >= 500 || isUnclearStatus(status));
	const history: RequestHistory = {
		...before,
		failures: before.failures + (isRefused ? 0 : 1),
		refusals: before.refusals + (isRefused ? 1 : 0),
		isBillingUnknown: before.isBillingUnknown || isUnclear,
		mayHaveExecuted:
			before.mayHaveExecuted || (isUnclear && kind !== 'read' && !isOverloadStatus(status)),
	};
	if (isStopped || isFinal || !isRetryable(kind, status)) return { history };

	if (isRefused) {
		const retryAt = endedAt + refusedDelayMs(history.refusals, options, retryAfterMs);
		// A refused row gives up at its own deadline, never earlier. A read does so where it could not be sent
		// in time: the next poll is another request, which is not told to wait.
		const isLate = kind === 'read' ? retryAt > until : endedAt > until;
		const isLast = history.refusals > (options.refusals ?? Infinity) || isLate;
		return isLast ? { history } : { history, retryAt };
	}
	const ms = retryDelayMs(history.failures, options, retryAfterMs);
	const delayedMs = history.delayedMs + ms;
	const isSpent = history.failures >= options.attempts || delayedMs > options.budgetMs;
	if (isSpent || endedAt + ms > until) return { history };
	return { history: { ...history, delayedMs }, retryAt: endedAt + ms };
}

/** Milliseconds a `Retry-After` header asks for, as seconds or as a date; undefined when there is none. */
export function retryAfterMs(header: unknown, now: number): number | undefined {
	const text = String(header ?? '').trim();
	if (!text) return undefined;
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The same from all headers of a response: `retry-after-ms`, which OpenAI's gateways send, is the more precise one. */
export function retryAfterOf(headers: Record<string, unknown>, now: number): number | undefined {
	const ms = String(headers['retry-after-ms'] ?? '').trim();
	if (/^\d+(\.\d+)?$/.test(ms)) return Number(ms);
	return retryAfterMs(headers['retry-after'], now);
}

/**
 * Milliseconds to wait before attempt `attempt` + 1: what the gateway asks for, or half fixed, half
 * random. A gateway that asks for hardly any delay would be called in a busy loop, so it gets ours.
 */
export function retryDelayMs(attempt: number, options: RetryOptions, requestedMs = 0): number {
	if (requestedMs >= options.firstDelayMs) return requestedMs;
	const step = Math.min(LONGEST_DELAY_MS, options.firstDelayMs * 2 ** (attempt - 1));
	return step / 2 + (Math.random() * step) / 2;
}

function refusedDelayMs(refusals: number, options: RetryOptions, requestedMs?: number): number {
	const stepMs = () => Math.min(LONGEST_REFUSED_DELAY_MS, retryDelayMs(refusals, options));
	return requestedMs ? Math.max(SHORTEST_REFUSED_DELAY_MS, requestedMs) : stepMs();
}
