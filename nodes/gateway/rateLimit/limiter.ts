import { onAbort } from '../abort';
import type { Clock } from '../context';
import type { RequestKind } from '../retry';
import { LearnedLimit } from './learnedLimit';
import { LaneLimits, type Lane, type Limit } from './limit';

interface AcquireOptions {
	kind: RequestKind;
	/**
	 * Unix milliseconds. The request gives up when it has not started by then. A write that only the Concurrency of
	 * its client holds back waits as long again.
	 */
	until: number;
	/** Unix milliseconds: not earlier. 0: it was not refused before. */
	notBefore: number;
	/** Called when the request is about to start. */
	isWanted?: () => boolean;
	signal?: AbortSignal;
}

/** Why a request did not start. */
type NotStarted = 'late' | 'stopped' | 'unwanted';

/** The right to send one request once. To be called with the status when the attempt has ended. */
export type Permit = (status: number | undefined) => void;

/** Waits until the request may start, is too late, or the user stops the execution. */
export type Acquire = (options: AcquireOptions) => Promise<Permit | NotStarted>;

const laneOf = (kind: RequestKind): Lane => (kind === 'submit' ? 'submits' : 'others');

/** A gateway that refused within this time is short of places. */
const REFUSING_MS = 60_000;

/** Waiting requests of one client in one lane, the next one first. */
interface Queue {
	readonly lane: Lane;
	readonly client: { readonly concurrency: number; active: number };
	readonly waiting: (() => void)[];
}

/**
 * Starts the requests of one account, in turn between its clients: a client with five requests does not wait
 * for one with five thousand. A `Limit` decides when.
 */
export class RateLimiter {
	/** Where requests wait, the next in turn first. */
	private readonly queues = new Set<Queue>();
	/** Requests that wait or are under way. */
	pending = 0;
	private waitingClients = 0;
	private refusedAt = -Infinity;
	/** When a lane was last answered 503, unless a request of it has succeeded since. */
	private readonly overloadedAt: Record<Lane, number> = { submits: -Infinity, others: -Infinity };
	private cancelTimer = () => {};

	constructor(
		private readonly clock: Clock,
		private readonly limit: Limit = new LaneLimits(() => new LearnedLimit()),
	) {}

	get isRefusing(): boolean {
		return this.clock.now() - this.refusedAt < REFUSING_MS;
	}

	/** Such requests wait for a gateway without capacity, not for a limit. */
	isOverloaded(kind: RequestKind): boolean {
		const overloadedAt = this.overloadedAt[laneOf(kind)];
		return overloadedAt > this.refusedAt && this.clock.now() - overloadedAt < REFUSING_MS;
	}

	/** A client with at most so many requests at once. */
	join(concurrency: number): Acquire {
		const client = { concurrency, active: 0 };
		const submits: Queue = { lane: 'submits', client, waiting: [] };
		const others: Queue = { lane: 'others', client, waiting: [] };
		return async (options) =>
			await this.acquire(laneOf(options.kind) === 'submits' ? submits : others, options);
	}

	private async acquire(
		queue: Queue,
		{ kind, until, notBefore, isWanted = () => true, signal }: AcquireOptions,
	): Promise<Permit | NotStarted> {
		if (signal?.aborted) return 'stopped';
		this.pending += 1;
		const { waiting, client, lane } = queue;
		const permit = await new Promise<Permit | NotStarted>((resolve) => {
			const now = this.clock.now();
			const settle = (outcome: Permit | NotStarted) => {
				for (const cancel of cancels) cancel();
				const place = waiting.indexOf(begin);
				if (place >= 0) waiting.splice(place, 1);
				if (!waiting.length) this.queues.delete(queue);
				resolve(outcome);
			};
			let isAfterIdle = false;
			const begin = () => settle(isWanted() ? this.start(queue, isAfterIdle) : 'unwanted');
			const enter = () => {
				isAfterIdle = !this.queues.size;
				// It has waited out its delay.
				if (notBefore) waiting.unshift(begin);
				else waiting.push(begin);
				this.queues.add(queue);
				this.dispatch();
			};
			let cancelLate = () => {};
			const waitUntil = (at: number): void => {
				cancelLate = this.clock.after(at - this.clock.now(), () => {
					const lateAt = this.clock.now();
					const isOpen = this.limit.opensAt(lateAt, this.waitingClients, lane) <= lateAt;
					const isFull = client.active >= client.concurrency;
					if (kind === 'write' && !notBefore && (isFull || isOpen)) waitUntil(lateAt + until - now);
					else settle('late');
				});
			};
			waitUntil(until);
			const cancels = [() => cancelLate(), onAbort(signal, () => settle('stopped'))];
			if (notBefore <= now) enter();
			else cancels.push(this.clock.after(notBefore - now, enter, { keepsProcess: true }));
		});
		if (typeof permit === 'string') this.pending -= 1;
		return permit;
	}

	private start({ lane, client }: Queue, isAfterIdle: boolean): Permit {
		const end = this.limit.start(this.clock.now(), isAfterIdle, this.waitingClients, lane);
		client.active += 1;
		return (status) => {
			const now = this.clock.now();
			client.active -= 1;
			this.pending -= 1;
			if (status === 429) this.refusedAt = now;
			if (status === 503) this.overloadedAt[lane] = now;
			else if (status !== undefined && status < 400) this.overloadedAt[lane] = -Infinity;
			end(status, now);
			this.dispatchAt(now);
		};
	}

	/** Starts what may start, one request of each queue in turn. */
	private readonly dispatch = (): void => {
		const now = this.clock.now();
		this.waitingClients = new Set([...this.queues].map(({ client }) => client)).size;
		const ready = () => [...this.queues].filter(({ client }) => client.active < client.concurrency);
		const opensAt = ({ lane }: Queue) => this.limit.opensAt(now, this.waitingClients, lane);
		const next = () => ready().find((queue) => opensAt(queue) <= now);
		for (let queue = next(); queue; queue = next()) {
			this.queues.delete(queue);
			this.queues.add(queue);
			queue.waiting[0]!();
		}
		this.cancelTimer();
		const nextAt = Math.min(...ready().map(opensAt));
		if (nextAt < Infinity) this.dispatchAt(nextAt);
	};

	/** By a timer, so that all answers that arrive together count first. Without, 200 rows have 5.2 % refused, not 4.4 %. */
	private dispatchAt(at: number): void {
		this.cancelTimer();
		const delayMs = at - this.clock.now();
		this.cancelTimer = this.clock.after(delayMs, this.dispatch, { keepsProcess: true });
	}
}
