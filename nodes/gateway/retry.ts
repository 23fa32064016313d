import type { ErrorDetails } from './errors';

/**
 * What a request does decides whether it may be repeated. A `read` changes nothing. A `submit` carries an
 * idempotency key. An `idempotent` write ends in the same state however often it is sent (cancel, delete).
 * Any other `write` might be billed twice.
 */
export type RequestKind = 'read' | 'submit' | 'idempotent' | 'write';

export interface RetryOptions {
	/** The first included. A 429 does not count. */
	attempts: number;
	/** Milliseconds that the delays after failures may take together. Delays after a 429 do not count. */
	budgetMs: number;
	/** How many 429s are waited out. Default: as many as fit before the deadline. */
	refusals?: number;
	/** Milliseconds before the second attempt, doubling after. */
	firstDelayMs: number;
	/** Something else is tried instead, so a request that could not be sent in time is not waited for. */
	hasFallback?: boolean;
}

export const DEFAULT_RETRY: RetryOptions = { attempts: 6, budgetMs: 120_000, firstDelayMs: 400 };
const LONGEST_DELAY_MS = 20_000;
/** After a 429 without Retry-After the limiter decides. This only spaces the attempts of one request. */
const LONGEST_REFUSED_DELAY_MS = 2_000;
/** The shortest delay after a 429. A Retry-After of 0 counts as none. */
const SHORTEST_REFUSED_DELAY_MS = 40;

/** Statuses below 500 that leave open whether the request was carried out. */
export const isUnclearStatus = (status: number): boolean => [408, 409, 425].includes(status);

/** Taken for no capacity, so that nothing was done: 502 is "upstream temporarily unavailable" (spec section 7). Some say 529. */
export const isOverloadStatus = (status: unknown): boolean =>
	status === 502 || status === 503 || status === 529;

/** Whether the request may be repeated. `status` is undefined without a usable response. */
export function isRetryable(kind: RequestKind, status: number | undefined): boolean {
	if (status === 429) return true;
	if (kind === 'write') return false;
	return status === undefined || status >= 500 || isUnclearStatus(status);
}

/** What is known from the attempts so far. */
export type RequestHistory = Readonly<ReturnType<typeof startHistory>>;

/** The history before the first attempt. */
export const startHistory = (kind: RequestKind, options: RetryOptions, until: number) => ({
	kind,
	options,
	/** Unix milliseconds: no attempt begins later. */
	until,
	/** Attempts that failed without a 429. */
	failures: 0,
	/** Attempts with a 429. */
	refusals: 0,
	/** Milliseconds of delay after failures. */
	delayedMs: 0,
	/** Some attempt did not say what it cost. */
	isBillingUnknown: false,
	/** Some attempt may have been carried out, and its reply was lost. */
	mayHaveExecuted: false,
});

export interface FailedAttempt {
	/** Undefined when no usable response came. */
	status?: number;
	/** Of its error. */
	details: Pick<ErrorDetails, 'billed' | 'retry'>;
	/** What the response asks for. */
	requestedMs?: number;
	/** Unix milliseconds. */
	endedAt: number;
}

/**
 * The whole retry policy: the history with this attempt, and when the next one may begin, in Unix milliseconds.
 * That may be after the deadline. Undefined: no further attempt.
 */
export function decide(
	before: RequestHistory,
	attempt: FailedAttempt,
): { history: RequestHistory; retryAt?: number } {
	const { kind, options, until } = before;
	const { status, details, requestedMs, endedAt } = attempt;
	// A 503 that names a time refuses the request like a 429, unless another model may be free.
	const isDelayed = status === 503 && kind !== 'write' && !options.hasFallback && !!requestedMs;
	const isRefused = status === 429 || isDelayed;
	// It was not sent, or not to a gateway: certainly not carried out.
	const isNotSent = status === undefined && details.billed === 0;
	const isUnclear =
		!isNotSent && (status === undefined || status >= 500 || isUnclearStatus(status));
	const history: RequestHistory = {
		...before,
		failures: before.failures + (isRefused ? 0 : 1),
		refusals: before.refusals + (isRefused ? 1 : 0),
		isBillingUnknown: before.isBillingUnknown || isUnclear,
		mayHaveExecuted:
			before.mayHaveExecuted || (isUnclear && kind !== 'read' && !isOverloadStatus(status)),
	};
	const isRepeatable = isNotSent ? details.retry : isRetryable(kind, status);
	if (!isRepeatable) return { history };

	if (isRefused) {
		const retryAt = endedAt + refusedDelayMs(history.refusals, options, requestedMs);
		// A refused row gives up at its deadline, never earlier. A read fails at once when it could not be sent in
		// time: the next poll is another request. So does one with a fallback.
		const hasOther = kind === 'read' || options.hasFallback;
		const isLate = (hasOther ? retryAt : endedAt) > until;
		const isLast = history.refusals > (options.refusals ?? Infinity) || isLate;
		return isLast ? { history } : { history, retryAt };
	}
	const ms = retryDelayMs(history.failures, options, requestedMs);
	const delayedMs = history.delayedMs + ms;
	const isSpent = history.failures >= options.attempts || delayedMs > options.budgetMs;
	if (isSpent || endedAt + ms > until) return { history };
	return { history: { ...history, delayedMs }, retryAt: endedAt + ms };
}

/** The clock of who answers, in Unix milliseconds. Undefined where it sends none. */
export const dateOf = ({ date }: Record<string, unknown>): number | undefined =>
	Date.parse(String(date ?? '')) || undefined;

/** What the headers ask for, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as a date of that clock. */
export function retryAfterOf(headers: Record<string, unknown>, now: number): number | undefined {
	const valueOf = (name: string) => String(headers[name] ?? '').trim();
	const [ms, after] = [valueOf('retry-after-ms'), valueOf('retry-after')];
	if (NUMBER.test(ms)) return Number(ms);
	if (NUMBER.test(after)) return Number(after) * 1000;
	const date = Date.parse(after);
	return Number.isNaN(date) ? undefined : Math.max(0, date - (dateOf(headers) ?? now));
}

const NUMBER = /^\d+(\.\d+)?$/;

/** Milliseconds until the next attempt: what the gateway asks for, unless it is almost nothing, or backoff with jitter. */
export function retryDelayMs(attempt: number, options: RetryOptions, requestedMs = 0): number {
	if (requestedMs >= options.firstDelayMs) return requestedMs;
	const step = Math.min(LONGEST_DELAY_MS, options.firstDelayMs * 2 ** (attempt - 1));
	return step / 2 + (Math.random() * step) / 2;
}

function refusedDelayMs(refusals: number, options: RetryOptions, requestedMs?: number): number {
	const stepMs = () => Math.min(LONGEST_REFUSED_DELAY_MS, retryDelayMs(refusals, options));
	return requestedMs ? Math.max(SHORTEST_REFUSED_DELAY_MS, requestedMs) : stepMs();
}
