/** Reads may be repeated freely, submissions because their key makes it safe, other writes only when nothing was done. */
export type RequestKind = 'read' | 'submit' | 'write';

export interface RetryPolicy {
	/** Tries in all, the first included. */
	attempts: number;
	/** Milliseconds all pauses of one call may take together. */
	budgetMs: number;
	/** Milliseconds before the second try, doubling after. */
	firstPauseMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 6, budgetMs: 120_000, firstPauseMs: 400 };
const LONGEST_PAUSE_MS = 20_000;

/** Whether a reply with this status (undefined: no usable reply) may be asked for again. */
export function isRetryable(kind: RequestKind, status: number | undefined): boolean {
	if (status === 429) return true;
	if (kind === 'write') return false;
	return status === undefined || status >= 500;
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
 * Milliseconds to pause before try `attempt` + 1: what the gateway asks for, or half fixed, half chance. A gateway
 * that asks for hardly any pause is not taken at its word, since it refuses again and again without end.
 */
export function retryDelayMs(attempt: number, policy: RetryPolicy, asked = 0): number {
	if (asked >= policy.firstPauseMs) return asked;
	const step = Math.min(LONGEST_PAUSE_MS, policy.firstPauseMs * 2 ** (attempt - 1));
	return step / 2 + (Math.random() * step) / 2;
}
