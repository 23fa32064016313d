import { FIRST_BURST, isRefusal, STALLED_MS, type EndAttempt, type Limit } from './limit';

/** Where even one request at once is refused. With a second, 50 % random refusals take twice as long. */
const DELAY_MS = 300;

/** Additive increase, multiplicative decrease: one more request at once for each accepted one, half after a refusal. */
export class Aimd implements Limit {
	accepted = 0;
	refused = 0;
	private lastAt: number;
	/** Of the requests under way, the oldest first. */
	private readonly starts: number[] = [];
	private delayedUntil = 0;

	/**
	 * `window`: requests at once at first. `beganAt`: the start of the comparison, without the time in which nobody
	 * asked.
	 */
	constructor(
		private window = FIRST_BURST,
		public beganAt = 0,
	) {
		this.lastAt = beganAt;
	}

	opensAt(now: number): number {
		const blocking = this.starts.at(-Math.floor(this.window));
		const freeAt = blocking === undefined ? now : blocking + STALLED_MS;
		return Math.max(now, freeAt, this.delayedUntil);
	}

	start(startedAt: number, isAfterIdle = false): EndAttempt {
		if (isAfterIdle) this.beganAt += startedAt - this.lastAt;
		this.lastAt = startedAt;
		this.starts.push(startedAt);
		return (status, now) => {
			this.starts.splice(this.starts.indexOf(startedAt), 1);
			if (isRefusal(status)) return this.decrease(now);
			this.accepted += 1;
			this.window += 1;
		};
	}

	private decrease(now: number): void {
		this.refused += 1;
		if (this.window === 1) this.delayedUntil = now + DELAY_MS;
		this.window = Math.max(1, this.window / 2);
	}
}
