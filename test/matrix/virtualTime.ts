import * as FakeTimers from '@sinonjs/fake-timers';
import { systemClock } from '../../nodes/n8n/systemClock';

const realImmediate = setImmediate;
const realTimeout = setTimeout;
const nextLoop = async () => await new Promise<void>((resolve) => void realImmediate(resolve));
const START = Date.parse('2026-11-22T00:00:00Z');
/** Turns of the event loop in which nothing happens before everything counts as waiting. */
const QUIET_LOOPS = 12;
/** Real milliseconds for which nothing but the disk may keep the work waiting. */
const MOST_EMPTY_LOOPS = 2_000;

/**
 * Time for n8n's engine, the node and the sandbox, which passes only when all of them wait: hours take
 * milliseconds. Node's own timers (`AbortSignal.timeout`) cannot be replaced, so the clock of the node
 * gets timers that can.
 */
export class VirtualTime {
	private clock: ReturnType<typeof FakeTimers.install>;
	private readonly original = { ...systemClock };
	/** Answers under way that need no time. */
	private busy = 0;
	/** By how much the clock of the machine was set, in milliseconds. */
	private setMs = 0;

	constructor() {
		this.clock = this.install();
		systemClock.now = () => this.now;
		systemClock.after = (ms, callback) => {
			const timer = setTimeout(callback, Math.max(0, ms));
			return () => clearTimeout(timer);
		};
	}

	private install() {
		return FakeTimers.install({
			now: START,
			toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
		});
	}

	/** Milliseconds since the last start, however the clock was set. */
	get elapsed(): number {
		return Date.now() - START - this.setMs;
	}

	/** Unix milliseconds by a clock that nobody sets. */
	get now(): number {
		return START + this.elapsed;
	}

	/** Somebody sets the clock of the machine, ahead or back. */
	setClock(ms: number): void {
		this.setMs += ms;
		this.clock.setSystemTime(Date.now() + ms);
	}

	/** Begins again; all timers are forgotten, as when the process is killed. `keepsTime` leaves the time as it is. */
	restart(keepsTime = false): void {
		const now = keepsTime ? Date.now() : START;
		if (!keepsTime) this.setMs = 0;
		this.clock.uninstall();
		this.clock = this.install();
		this.clock.setSystemTime(now);
	}

	uninstall(): void {
		this.clock.uninstall();
		Object.assign(systemClock, this.original);
	}

	/** Work that takes no time: time stands still until it is done. */
	async instantly<T>(work: () => Promise<T>): Promise<T> {
		this.busy += 1;
		try {
			return await work();
		} finally {
			this.busy -= 1;
		}
	}

	private async settle(): Promise<void> {
		for (let quiet = 0; quiet < QUIET_LOOPS; quiet = this.busy ? 0 : quiet + 1) await nextLoop();
	}

	/** What the work comes to; undefined when it has not ended after `longestMs`. */
	async run<T>(work: Promise<T>, longestMs: number): Promise<T | undefined> {
		let isDone = false;
		const watched = work.finally(() => (isDone = true));
		watched.catch(() => undefined);
		const end = this.elapsed + longestMs;
		await this.settle();
		for (let emptyLoops = 0; !isDone && this.elapsed <= end && emptyLoops < MOST_EMPTY_LOOPS;) {
			const isWaiting = this.clock.countTimers() > 0;
			// Without a timer it can only wait for a file or a module.
			if (isWaiting) this.clock.next();
			else await new Promise((resolve) => void realTimeout(resolve, 1));
			emptyLoops = isWaiting ? 0 : emptyLoops + 1;
			await this.settle();
		}
		return isDone ? await watched : undefined;
	}

	/** Lets time pass, whatever happens in it. */
	async pass(ms: number): Promise<void> {
		await this.run(new Promise((resolve) => setTimeout(resolve, ms)), ms);
	}
}
