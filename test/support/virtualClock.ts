import type { Clock } from '../../nodes/gateway/context';

interface Timer {
	at: number;
	order: number;
	/** Undefined once it was cancelled. */
	callback: (() => void) | undefined;
}

/** Lets every promise that is ready run on. */
const settle = async () => await new Promise<void>((resolve) => setImmediate(resolve));

const isBefore = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Time that passes only when nothing else is left to do, so that hours take milliseconds. */
export class VirtualClock implements Clock {
	private time = Date.parse('2026-11-22T00:00:00Z');
	private order = 0;
	/** A binary heap: each timer comes before the two at twice its place. */
	private readonly timers: Timer[] = [];

	now(): number {
		return this.time;
	}

	/** Forgets all timers, as when the process is killed. */
	clear(): void {
		this.timers.length = 0;
	}

	/** For the tests themselves. */
	async sleep(ms: number): Promise<void> {
		await new Promise<void>((resolve) => this.after(ms, resolve));
	}

	after(ms: number, callback: () => void): () => void {
		const at = this.time + Math.max(0, ms);
		const timer: Timer = { at, order: (this.order += 1), callback };
		let place = this.timers.push(timer) - 1;
		for (let parent = (place - 1) >> 1; place > 0; parent = (place - 1) >> 1) {
			if (!isBefore(timer, this.timers[parent]!)) break;
			this.timers[place] = this.timers[parent]!;
			place = parent;
		}
		this.timers[place] = timer;
		return () => void (timer.callback = undefined);
	}

	/** What the work comes to; time jumps to the next timer whenever everything else waits. */
	async run<T>(work: Promise<T>, longestMs = Number.MAX_SAFE_INTEGER): Promise<T> {
		const end = this.time + longestMs;
		let isDone = false;
		const watched = work.finally(() => (isDone = true));
		watched.catch(() => undefined);
		await settle();
		while (!isDone) {
			const next = this.takeNext();
			if (!next) throw new Error('Nothing is left to wait for, and the work has not ended');
			if (!next.callback) continue;
			if (next.at > end) throw new Error(`The work has not ended after ${longestMs} ms`);
			this.time = Math.max(this.time, next.at);
			next.callback();
			await settle();
		}
		return await watched;
	}

	private takeNext(): Timer | undefined {
		const [first] = this.timers;
		const last = this.timers.pop();
		if (!this.timers.length || !last) return first;
		let place = 0;
		for (;;) {
			let child = 2 * place + 1;
			const [left, right] = [this.timers[child], this.timers[child + 1]];
			if (left && right && isBefore(right, left)) child += 1;
			const next = this.timers[child];
			if (!next || !isBefore(next, last)) break;
			this.timers[place] = next;
			place = child;
		}
		this.timers[place] = last;
		return first;
	}
}
