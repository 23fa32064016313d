import { systemClock } from '../n8n/systemClock';

/** With more, all are answered late. */
const MOST_AT_WORK = 20;
/** Waiting costs less than another call, which takes another isolate of n8n (45 ms, 14 MB). More would need too much memory. */
const MOST_WAITING = 500;
/** Runs that n8n has taken and not begun. Each has an isolate. */
const MOST_PENDING = 100;
/** Then the run is lost. */
const PENDING_MS = 30_000;
/** The same where a worker begins the runs. */
const PENDING_ELSEWHERE_MS = 1_000;

/** The callbacks of all triggers in this process, in order of arrival. With too many, the sender is to call again. */
export class CallbackQueue {
	private atWork = 0;
	private readonly waiting: (() => void)[] = [];
	/** Runs that have not begun, each with what ends the wait. */
	private readonly pending = new Map<string, () => void>();
	private hasBegun = false;

	/** Undefined, without work, when the queue is full. */
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

	/** n8n has taken a run. `onLost` is called when this process should have begun it and has not. */
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

	/** A test in the editor runs here, whoever begins the runs of callbacks. */
	beginRun(key: string, isProduction: boolean): void {
		this.hasBegun ||= isProduction;
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

export const queue = new CallbackQueue();

/** Names a run or a callback of a trigger. */
export const keyOf = (scope: string, taskIds: readonly (string | undefined)[]): string =>
	`${scope} ${taskIds.join()}`;
