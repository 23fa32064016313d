import type { EndAttempt, Lane, Limit } from './limit';

/** Requests at once before anything is known; as many as a run of a node begins with. */
const FIRST_WINDOW = 20;
/** Halved after a refusal, as in TCP. */
const DECREASE = 0.5;
/** The pause where even one request at once is refused, doubling up to the longest. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Additive increase, multiplicative decrease of the requests at once, as TCP controls congestion. */
export class Aimd implements Limit {
	private window = FIRST_WINDOW;
	private active = 0;
	private decreasedAt = -Infinity;
	private pauseMs = FIRST_PAUSE_MS;
	private pausedUntil = 0;

	opensAt(_lane: Lane, now: number): number {
		return this.active < Math.floor(this.window) ? Math.max(now, this.pausedUntil) : Infinity;
	}

	start(_lane: Lane, startedAt: number): EndAttempt {
		this.active += 1;
		return ({ status }, now) => {
			this.active -= 1;
			if (status === 429) this.decrease(startedAt, now);
			else this.increase();
		};
	}

	private increase(): void {
		this.window += 1 / this.window;
		this.pauseMs = FIRST_PAUSE_MS;
	}

	/** Once for all requests that were under way together. */
	private decrease(startedAt: number, now: number): void {
		if (startedAt <= this.decreasedAt) return;
		this.decreasedAt = now;
		if (this.window > 1) {
			this.window = Math.max(1, this.window * DECREASE);
			return;
		}
		this.pausedUntil = now + this.pauseMs;
		this.pauseMs = Math.min(LONGEST_PAUSE_MS, this.pauseMs * 2);
	}
}
