import { systemClock } from '../n8n/systemClock';

/**
 * Callbacks that are worked on at once, up to the moment at which their runs begin. With more, n8n works
 * on all and answers all of them late; so the first are done soon.
 */
const MOST_AT_WORK = 20;
/** n8n holds an isolate of about 14 MB for each callback that is not answered. What comes beyond is answered at once. */
const MOST_WAITING = 100;
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
	/** Ends the work for a run that was given to n8n and has not begun, oldest first. */
	private readonly pending: (() => void)[] = [];
	private hasBegun = false;

	/**
	 * Does the work for a callback; gives undefined without doing any when there is too much of it. Where
	 * the work starts a run, its place is free when the run has begun.
	 */
	async take<T>(work: () => Promise<T>, startsRun: (result: T) => boolean): Promise<T | undefined> {
		if (this.waiting.length >= MOST_WAITING) return undefined;
		if (this.atWork >= MOST_AT_WORK) await new Promise<void>((begin) => this.waiting.push(begin));
		this.atWork += 1;
		let isPending = false;
		try {
			const result = await work();
			isPending = startsRun(result);
			if (isPending) this.addPending();
			return result;
		} finally {
			if (!isPending) this.end();
		}
	}

	/** A run has begun in this process. */
	beginRun(): void {
		this.hasBegun = true;
		this.pending[0]?.();
	}

	private addPending(): void {
		const end = (): void => {
			const at = this.pending.indexOf(end);
			if (at < 0) return;
			this.pending.splice(at, 1);
			cancel();
			this.end();
		};
		const longestMs = this.hasBegun ? PENDING_MS : PENDING_ELSEWHERE_MS;
		const cancel = systemClock.after(longestMs, end);
		this.pending.push(end);
	}

	private end(): void {
		this.atWork -= 1;
		this.waiting.shift()?.();
	}
}

/** The one of this process. */
export const queue = new CallbackQueue();
