interface Timer {
	/** As `now` counts. */
	at: number;
	callback: () => void;
}

/** Any number of timers on one of the host: those that n8n's review leaves cost 10 to 30 µs, and cannot be cancelled. */
export class TimerQueue {
	/** The soonest first. */
	private readonly timers: Timer[] = [];
	/** When `setTimer` calls back, the soonest last. */
	private readonly timeouts: number[] = [];

	constructor(
		/** In milliseconds. */
		private readonly now: () => number,
		private readonly setTimer: (ms: number, callback: () => void) => void,
	) {}

	/** The returned function cancels the timer. */
	add(ms: number, callback: () => void): () => void {
		const timer: Timer = { at: this.now() + Math.max(0, ms), callback };
		this.timers.splice(this.placeOf(timer.at), 0, timer);
		this.arm();
		return () => {
			const place = this.timers.lastIndexOf(timer, this.placeOf(timer.at) - 1);
			if (place >= 0) this.timers.splice(place, 1);
		};
	}

	/** Of the first timer that is later. */
	private placeOf(at: number): number {
		let [from, to] = [0, this.timers.length];
		while (from < to) {
			const middle = (from + to) >> 1;
			if (this.timers[middle]!.at <= at) from = middle + 1;
			else to = middle;
		}
		return from;
	}

	private arm(): void {
		const [next] = this.timers;
		if (!next || next.at >= (this.timeouts.at(-1) ?? Infinity)) return;
		this.timeouts.push(next.at);
		this.setTimer(Math.max(0, next.at - this.now()), () => {
			this.timeouts.pop();
			try {
				this.runDue();
			} finally {
				this.arm();
			}
		});
	}

	private runDue(): void {
		const now = this.now();
		while ((this.timers[0]?.at ?? Infinity) <= now) this.timers.shift()!.callback();
	}
}
