/**
 * What a request does at the gateway decides whether it may be sent again: a `read` changes nothing,
 * a `submit` carries an idempotency key, an `idempotent` write ends in the same state however often it
 * arrives (cancel), any other `write` might be billed or done twice.
 */
export type RequestKind = 'read' | 'submit' | 'idempotent' | 'write';

export interface RetryOptions {
	/** Tries in all, the first included; a 429 does not count as one. */
	attempts: number;
	/** Milliseconds all delays of one request may take together. */
	budgetMs: number;
	/** How often a 429 is waited out; unless given, as often as the time allows. */
	refusals?: number;
	/** Milliseconds before the second try, doubling after. */
	firstDelayMs: number;
}

export const DEFAULT_RETRY: RetryOptions = { attempts: 6, budgetMs: 120_000, firstDelayMs: 400 };
const LONGEST_DELAY_MS = 20_000;

/** Statuses below 500 that say nothing about whether the request was carried out. */
const UNCLEAR_STATUSES: ReadonlySet<number> = new Set([408, 409, 425]);

export const isUnclearStatus = (status: number): boolean => UNCLEAR_STATUSES.has(status);

/** No capacity (spec section 7 names 502 so): of the statuses above 499 these say that nothing was done. */
const OVERLOAD_STATUSES: ReadonlySet<unknown> = new Set([502, 503]);

export const isOverloadStatus = (status: unknown): boolean => OVERLOAD_STATUSES.has(status);

/** Whether a request that met this status (undefined: no usable response) may be sent again. */
export function isRetryable(kind: RequestKind, status: number | undefined): boolean {
	if (status === 429) return true;
	if (kind === 'write') return false;
	return status === undefined || status >= 500 || isUnclearStatus(status);
}

/** Milliseconds a `Retry-After` header asks for, as seconds or as a date; undefined when there is none. */
export function retryAfterMs(header: unknown, now: number): number | undefined {
	const text = String(header ?? '').trim();
	if (!text) return undefined;
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * Milliseconds to wait before try `attempt` + 1: what the gateway asks for, or half fixed, half random.
 * A gateway that asks for hardly any delay would be called in a busy loop, so it gets ours.
 */
export function retryDelayMs(attempt: number, options: RetryOptions, requestedMs = 0): number {
	if (requestedMs >= options.firstDelayMs) return requestedMs;
	const step = Math.min(LONGEST_DELAY_MS, options.firstDelayMs * 2 ** (attempt - 1));
	return step / 2 + (Math.random() * step) / 2;
}
