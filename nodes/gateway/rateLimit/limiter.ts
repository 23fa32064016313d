import { onAbort } from '../abort';
import type { Clock } from '../context';
import type { RequestKind } from '../retry';
import { LearnedLimit } from './learnedLimit';
import { LaneLimits, type Lane, type Limit, type Outcome } from './limit';

/** Requests of one client under way at once. */
export interface ConcurrencyRange {
	/** At first. */
	concurrency: number;
	/** While the gateway keeps up. Default: as at first. */
	mostConcurrency?: number;
}

export interface AcquireOptions {
	kind: RequestKind;
	/** Unix milliseconds. The request gives up when it has not started by then. */
	until: number;
	/** Unix milliseconds: not earlier. 0: it was not refused before. */
	notBefore: number;
	/** Called when the request is about to start. */
	isWanted?: () => boolean;
	signal?: AbortSignal;
}

/** Why a request did not start. */
export type NotStarted = 'late' | 'stopped' | 'unwanted';

/** The right to send one request once. */
export interface Permit {
	/** To be called when the attempt has ended. */
	end(outcome: Outcome): void;
}

export interface LimitedClient {
	/** Waits until the request may start, is too late, or the user stops the execution. */
	acquire(options: AcquireOptions): Promise<Permit | NotStarted>;
}

/** A gateway that refused within this time is short of places. */
const REFUSING_MS = 60_000;
/** Timers cannot wait longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Of one client: how many of its requests may be under way at once. */
class Places {
	active = 0;
	private count: number;
	private most: number;

	constructor(private readonly range: ConcurrencyRange) {
		this.count = range.concurrency;
		this.most = range.mostConcurrency ?? range.concurrency;
	}

	get isFree(): boolean {
		return this.active < this.count;
	}

	/** Grows by one for each good answer while others wait. A gateway that fails gets no more than at first. */
	adapt(status: number | undefined, isWaiting: boolean): void {
		if (status === undefined || status >= 500) this.count = this.most = this.range.concurrency;
		else if (isWaiting && status !== 429) this.count = Math.min(this.most, this.count + 1);
	}
}

/** Waiting requests of one client in one lane, the next one first. */
interface Queue {
	readonly lane: Lane;
	readonly places: Places;
	readonly waiting: (() => void)[];
}

/**
 * Starts the requests of one account, in turn between its clients: a client with five requests does not wait
 * for one with five thousand. A `Limit` decides when.
 */
export class RateLimiter {
	/** Where requests wait, the next in turn first. */
	private readonly queues = new Set<Queue>();
	/** They wait or are under way. */
	private pending = 0;
	private refusedAt = -Infinity;
	private cancelTimer = () => {};

	constructor(
		private readonly clock: Clock,
		private readonly limit: Limit = new LaneLimits(() => new LearnedLimit()),
	) {}

	get isIdle(): boolean {
		return this.pending === 0;
	}

	/** Within the last minute. */
	get isRefusing(): boolean {
		return this.clock.now() - this.refusedAt < REFUSING_MS;
	}

	join(range: ConcurrencyRange): LimitedClient {
		const places = new Places(range);
		const submits: Queue = { lane: 'submits', places, waiting: [] };
		const others: Queue = { lane: 'others', places, waiting: [] };
		return {
			acquire: async (options) =>
				await this.acquire(options.kind === 'submit' ? submits : others, options),
		};
	}

	private async acquire(
		queue: Queue,
		{ until, notBefore, isWanted = () => true, signal }: AcquireOptions,
	): Promise<Permit | NotStarted> {
		if (signal?.aborted) return 'stopped';
		this.pending += 1;
		const permit = await new Promise<Permit | NotStarted>((resolve) => {
			const now = this.clock.now();
			const settle = (outcome: Permit | NotStarted) => {
				cancelDeadline();
				cancelDelay();
				forgetStop();
				const place = queue.waiting.indexOf(begin);
				if (place >= 0) queue.waiting.splice(place, 1);
				if (!queue.waiting.length) this.queues.delete(queue);
				resolve(outcome);
			};
			const begin = () => settle(isWanted() ? this.start(queue) : 'unwanted');
			const enter = () => {
				// It has waited out its delay.
				if (notBefore) queue.waiting.unshift(begin);
				else queue.waiting.push(begin);
				this.queues.add(queue);
				this.dispatch();
			};
			const leftMs = Math.min(LONGEST_TIMER_MS, Math.max(0, until - now));
			const cancelDeadline = this.clock.after(leftMs, () => settle('late'));
			const forgetStop = onAbort(signal, () => settle('stopped'));
			let cancelDelay = () => {};
			if (notBefore > now)
				cancelDelay = this.clock.after(notBefore - now, enter, { keepsProcess: true });
			else enter();
		});
		if (typeof permit === 'string') this.pending -= 1;
		return permit;
	}

	private start({ lane, places, waiting }: Queue): Permit {
		const end = this.limit.start(lane, this.clock.now());
		places.active += 1;
		return {
			end: (outcome) => {
				const now = this.clock.now();
				places.active -= 1;
				this.pending -= 1;
				if (outcome.status === 429) this.refusedAt = now;
				places.adapt(outcome.status, waiting.length > 0);
				end(outcome, now);
				this.dispatch();
			},
		};
	}

	/** Starts what may start, one request of each queue in turn. */
	private dispatch(): void {
		const now = this.clock.now();
		for (let queue = this.next(now); queue; queue = this.next(now)) {
			this.queues.delete(queue);
			this.queues.add(queue);
			queue.waiting[0]!();
		}
		this.cancelTimer();
		const ready = [...this.queues].filter(({ places }) => places.isFree);
		const opensAt = Math.min(...ready.map(({ lane }) => this.limit.opensAt(lane, now)));
		if (opensAt - now > LONGEST_TIMER_MS) return;
		const dispatch = () => this.dispatch();
		this.cancelTimer = this.clock.after(opensAt - now, dispatch, { keepsProcess: true });
	}

	private next(now: number): Queue | undefined {
		for (const queue of this.queues)
			if (queue.places.isFree && this.limit.opensAt(queue.lane, now) <= now) return queue;
		return undefined;
	}
}
