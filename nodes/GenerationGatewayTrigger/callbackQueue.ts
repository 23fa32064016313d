import { systemClock } from '../n8n/systemClock';

/** Callbacks that are worked on at once. With more, all are answered late; so the first are done soon. */
const MOST_AT_WORK = 20;
/**
 * Callbacks that wait. n8n has made an isolate for each before it hands it over (45 ms of processor, 14 MB),
 * and makes another one when a callback that was sent away comes again: to wait is the cheaper part of it,
 * until memory runs out.
 */
const MOST_WAITING = 500;
/** Runs that n8n has taken and not begun. More would only wait in n8n, each with an isolate of its own. */
const MOST_PENDING = 100;
/** A run that has not begun after this time was lost. */
const PENDING_MS = 30_000;
/** The same while this process has begun no run: a worker does that then. */
const PENDING_ELSEWHERE_MS = 1_000;

/**
 * The callbacks of all triggers in this process, in order of arrival. It takes as many as it gets done
 * soon, and leaves the others to the sender, who calls again; so a burst neither starves the runs nor the
 * callbacks.
 */
export class CallbackQueue {
	private atWork = 0;
	private readonly waiting: (() => void)[] = [];
	/** End the wait for runs that were given to n8n and have not begun. */
	private readonly pending = new Map<string, () => void>();
	private hasBegun = false;

	/** Does the work for a callback; gives undefined without doing any when there is too much of it. */
	async take<T>(work: () => Promise<T>): Promise<T | undefined> {
		if (this.waiting.length >= MOST_WAITING) return undefined;
		const begun = new Promise<void>((begin) => this.waiting.push(begin));
		this.next();
		await begun;
		try {
			return await work();
		} finally {
			this.atWork -= 1;
			this.next();
		}
	}

	/** A run was given to n8n; `onLost` is told when this process should have begun it and has not. */
	addRun(key: string, onLost: () => void): void {
		const end = () => {
			cancel();
			this.pending.delete(key);
			this.next();
		};
		const isHere = this.hasBegun;
		const cancel = systemClock.after(isHere ? PENDING_MS : PENDING_ELSEWHERE_MS, () => {
			end();
			if (isHere) onLost();
		});
		this.pending.set(key, end);
	}

	/** A run has begun in this process. */
	beginRun(key: string): void {
		this.hasBegun = true;
		this.pending.get(key)?.();
	}

	private next(): void {
		if (this.atWork >= MOST_AT_WORK || this.pending.size >= MOST_PENDING) return;
		const begin = this.waiting.shift();
		if (!begin) return;
		this.atWork += 1;
		begin();
	}
}

/** The one of this process. */
export const queue = new CallbackQueue();
