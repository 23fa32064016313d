import type { Plan, RateEstimate } from './rateEstimate';

/** The requests that go out between two delays. All times in Unix milliseconds. */
export interface RateWindow {
	readonly openedAt: number;
	readonly plan: Plan;
	/** How many may be out that nobody has confirmed, before any was. */
	credit: number;
	/** Confirmed before the ramp began. */
	confirmedBefore: number;
	/** When each request that was not refused began. */
	starts: number[];
	confirmed: number;
	/** What was known before its first request counted as accepted. */
	unopened?: { estimate: RateEstimate; previous: RateWindow };
	/** What was known when it was complete, or exhausted: refusals that come later are learnt anew. */
	known?: { estimate: RateEstimate; exhaustedAt?: number; acceptedBefore: number };
}

/** One request that was let out; what becomes of it counts for the window it began in. */
export interface PacedCall {
	readonly window: RateWindow;
	readonly startedAt: number;
	isConfirmed: boolean;
}

export const UNLIMITED: Plan = { quota: Infinity, lengthMs: undefined };

export const createWindow = (openedAt: number, plan: Plan, credit: number): RateWindow => ({
	...{ openedAt, plan, credit, starts: [], confirmed: 0, confirmedBefore: 0 },
});

/** As many may be out unconfirmed as were confirmed, so the number doubles with each round. */
export const isRampOpen = ({ starts, confirmed, confirmedBefore, credit }: RateWindow): boolean =>
	starts.length - confirmed < Math.max(credit, confirmed - confirmedBefore);
