interface Timer {
	/** As `now` counts. */
	at: number;
	/** Of two with the same time the one that was added first goes first. */
	order: number;
	/** Undefined once it was cancelled. */
	callback: (() => void) | undefined;
}

/** Cancelled timers that are kept before they are looked for. */
const MOST_CANCELLED = 1_000;

const isBefore = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order);

/**
 * Any number of timers on a single one of the host. A run keeps several for each request, nearly all of
 * which are cancelled, and what n8n's review leaves of timers costs 10 to 30 µs each and cannot be
 * taken back.
 */
export class TimerQueue {
	/** A binary heap: each timer comes before the two at twice its place. */
	private heap: Timer[] = [];
	private order = 0;
	private cancelled = 0;
	/** When `setTimer` calls back, the soonest last: none is asked for that is later than one before. */
	private readonly timeouts: number[] = [];

	constructor(
		/** Milliseconds on a clock that nobody sets. */
		private readonly now: () => number,
		private readonly setTimer: (ms: number, callback: () => void) => void,
	) {}

	/** Calls back after `ms` milliseconds unless the returned function is called before. */
	add(ms: number, callback: () => void): () => void {
		const at = this.now() + Math.max(0, ms);
		const timer: Timer = { at, order: (this.order += 1), callback };
		this.heap.push(timer);
		this.rise(this.heap.length - 1);
		this.arm();
		return () => {
			if (!timer.callback) return;
			timer.callback = undefined;
			this.cancelled += 1;
			if (this.cancelled > MOST_CANCELLED && this.cancelled > this.heap.length / 2) this.sweep();
		};
	}

	private arm(): void {
		const [first] = this.heap;
		if (!first || first.at >= (this.timeouts.at(-1) ?? Infinity)) return;
		this.timeouts.push(first.at);
		this.setTimer(Math.max(0, first.at - this.now()), () => {
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
		for (let first = this.heap[0]; first && (first.at <= now || !first.callback);) {
			this.removeFirst();
			const { callback } = first;
			if (callback) first.callback = undefined;
			else this.cancelled -= 1;
			callback?.();
			[first] = this.heap;
		}
	}

	private removeFirst(): void {
		const last = this.heap.pop()!;
		if (!this.heap.length) return;
		this.heap[0] = last;
		this.sink(0);
	}

	private sweep(): void {
		// A sorted list is a heap.
		this.heap = this.heap
			.filter(({ callback }) => callback)
			.sort((a, b) => (isBefore(a, b) ? -1 : 1));
		this.cancelled = 0;
	}

	private rise(place: number): void {
		const timer = this.heap[place]!;
		while (place > 0) {
			const parent = (place - 1) >> 1;
			if (!isBefore(timer, this.heap[parent]!)) break;
			this.heap[place] = this.heap[parent]!;
			place = parent;
		}
		this.heap[place] = timer;
	}

	private sink(place: number): void {
		const timer = this.heap[place]!;
		for (;;) {
			let child = 2 * place + 1;
			const [left, right] = [this.heap[child], this.heap[child + 1]];
			if (left && right && isBefore(right, left)) child += 1;
			const next = this.heap[child];
			if (!next || !isBefore(next, timer)) break;
			this.heap[place] = next;
			place = child;
		}
		this.heap[place] = timer;
	}
}
