/** What came of an attempt, as far as limits go. */
export interface Outcome {
	/** Undefined when no usable response came. */
	status?: number;
	/** Milliseconds the gateway asks to wait. */
	retryAfterMs?: number;
}

/** One request too many; some gateways say so with 503. */
export const isRefusal = ({ status }: Outcome): boolean => status === 429 || status === 503;

/** Submissions and all other requests may be limited together or apart. */
export type Lane = 'submits' | 'others';

/** To be called once, when the attempt has ended. */
export type EndAttempt = (outcome: Outcome, now: number) => void;

/** An algorithm that decides when requests may start, and learns from how they end. Times in Unix milliseconds. */
export interface Limit {
	/** When a request may start: now or earlier, later, or `Infinity` while only the end of an attempt tells. */
	opensAt(lane: Lane, now: number): number;
	/** A request has started. */
	start(lane: Lane, now: number): EndAttempt;
}
