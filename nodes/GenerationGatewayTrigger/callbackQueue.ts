import { createLimiter, type Limiter } from '../gateway/concurrency';
import { systemClock } from '../n8n/systemClock';

/** Callbacks whose tasks are fetched at once. More at once take as long, and none of them is answered early. */
const FETCHED_AT_ONCE = 5;
/** n8n holds an isolate for each callback that is not answered. What comes beyond is answered at once. */
const MOST_WAITING = 100;
/** Runs that n8n was given and has not begun: n8n takes new callbacks before it begins them. */
const MOST_PENDING = 50;
/** A run that has not begun after this time was lost, or runs in another process. */
const PENDING_MS = 30_000;
/** The same while this process has begun no run: a worker does that then. */
const PENDING_ELSEWHERE_MS = 1_000;

/**
 * The callbacks of all triggers in this process. It takes as many as it gets done soon, and leaves the
 * others to the sender, who calls again; so a burst neither starves the runs nor the callbacks.
 */
export class CallbackQueue {
	/** Lets so much work for callbacks go on at once, in order of arrival. */
	readonly limit: Limiter = createLimiter(FETCHED_AT_ONCE);
	private waiting = 0;
	/** When the runs were given to n8n that have not begun, oldest first. */
	private pending: number[] = [];
	private hasBegun = false;

	/** Does the work for a callback; gives undefined without doing any when there is too much of it. */
	async take<T>(work: () => Promise<T>): Promise<T | undefined> {
		if (this.waiting >= MOST_WAITING || this.countPending() >= MOST_PENDING) return undefined;
		this.waiting += 1;
		try {
			return await work();
		} finally {
			this.waiting -= 1;
		}
	}

	/** A run is given to n8n. */
	addRun(): void {
		this.pending.push(systemClock.now());
	}

	/** A run has begun in this process. */
	beginRun(): void {
		this.hasBegun = true;
		this.pending.shift();
	}

	private countPending(): number {
		const longestMs = this.hasBegun ? PENDING_MS : PENDING_ELSEWHERE_MS;
		const now = systemClock.now();
		this.pending = this.pending.filter((at) => Math.abs(now - at) < longestMs);
		return this.pending.length;
	}
}

/** The one of this process. */
export const queue = new CallbackQueue();
