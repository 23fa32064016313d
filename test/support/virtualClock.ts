import type { Clock } from '../../nodes/gateway/context';

interface Timer {
	at: number;
	order: number;
	callback: () => void;
}

/** Lets every promise that is ready run on. */
const settle = async () => await new Promise<void>((resolve) => setImmediate(resolve));

/** Time that passes only when nothing else is left to do, so that hours take milliseconds. */
export class VirtualClock implements Clock {
	private time = Date.parse('2026-11-22T00:00:00Z');
	private order = 0;
	private timers: Timer[] = [];

	now(): number {
		return this.time;
	}

	/** For the tests themselves. */
	async sleep(ms: number): Promise<void> {
		await new Promise<void>((resolve) => this.after(ms, resolve));
	}

	after(ms: number, callback: () => void): () => void {
		const timer = { at: this.time + Math.max(0, ms), order: (this.order += 1), callback };
		this.timers.push(timer);
		return () => {
			this.timers = this.timers.filter((other) => other !== timer);
		};
	}

	/** What the work comes to; time jumps to the next timer whenever everything else waits. */
	async run<T>(work: Promise<T>, longestMs = Number.MAX_SAFE_INTEGER): Promise<T> {
		const end = this.time + longestMs;
		let isDone = false;
		const watched = work.finally(() => (isDone = true));
		watched.catch(() => undefined);
		await settle();
		while (!isDone) {
			const next = this.timers.sort((a, b) => a.at - b.at || a.order - b.order).shift();
			if (!next) throw new Error('Nothing is left to wait for, and the work has not ended');
			if (next.at > end) throw new Error(`The work has not ended after ${longestMs} ms`);
			this.time = Math.max(this.time, next.at);
			next.callback();
			await settle();
		}
		return await watched;
	}
}
