import { onAbort } from '../abort';
import type { Clock } from '../context';
import type { RequestKind } from '../retry';
import { LearnedLimit } from './learnedLimit';
import { LaneLimits, type EndAttempt, type Lane, type Limit, type Outcome } from './limit';

/** Requests of one client under way at once, by what the user allows. */
export interface ConcurrencyRange {
	/** From the beginning. */
	concurrency: number;
	/** What it may grow to while the gateway keeps up; as many as from the beginning unless given. */
	mostConcurrency?: number;
}

export interface AcquireOptions {
	kind: RequestKind;
	/** Unix milliseconds: the request gives up when it has not started by then. */
	until: number;
	/** Unix milliseconds: the request does not start earlier. */
	notBefore: number;
	/** Asked when the request is about to start; one that is not wanted any more does not. */
	isWanted?: () => boolean;
	signal?: AbortSignal;
}

/** Why a request did not start. */
export type NotStarted = 'late' | 'stopped' | 'unwanted';

/** The right to send one request once. */
export interface Permit {
	/** To be called when the attempt has ended, however it did. */
	end(outcome: Outcome): void;
}

export interface LimitedClient {
	/** Waits until the request may start, until it is too late, or until the user stops the execution. */
	acquire(options: AcquireOptions): Promise<Permit | NotStarted>;
}

interface Waiting {
	lane: Lane;
	/** Order of arrival. */
	arrival: number;
	notBefore: number;
	begin: () => void;
}

/** A gateway that refused within this time is short of places, so no request should hold one longer than it must. */
const REFUSING_MS = 60_000;
/** Timers cannot wait longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The requests of one client that wait or are under way. */
class ClientQueue {
	/** Not refused so far, by lane, in order of arrival. */
	readonly fresh: Record<Lane, Set<Waiting>> = { submits: new Set(), others: new Set() };
	/** Those that must not start before their time. They are few: each was under way before. */
	readonly delayed = new Set<Waiting>();
	active = 0;
	private places: number;
	private most: number;

	constructor(private readonly range: ConcurrencyRange) {
		this.places = range.concurrency;
		this.most = range.mostConcurrency ?? range.concurrency;
	}

	get hasPlace(): boolean {
		return this.active < this.places;
	}

	get isEmpty(): boolean {
		return !this.delayed.size && !this.fresh.submits.size && !this.fresh.others.size;
	}

	add(waiting: Waiting): void {
		(waiting.notBefore ? this.delayed : this.fresh[waiting.lane]).add(waiting);
	}

	delete(waiting: Waiting): void {
		this.delayed.delete(waiting);
		this.fresh[waiting.lane].delete(waiting);
	}

	/** The requests of a lane that may start first: the one that has waited out its delay, then the oldest. */
	first(lane: Lane, now: number): Waiting | undefined {
		for (const waiting of this.delayed)
			if (waiting.lane === lane && waiting.notBefore <= now) return waiting;
		return this.fresh[lane].values().next().value;
	}

	/** When a request of the lane has waited out its delay; `Infinity` where none waits. */
	readyAt(lane: Lane, now: number): number {
		if (this.fresh[lane].size) return now;
		const delayed = [...this.delayed].filter((waiting) => waiting.lane === lane);
		return Math.max(now, Math.min(...delayed.map(({ notBefore }) => notBefore)));
	}

	/** Grows by one for each good answer while others wait. A gateway that fails gets no more than at the beginning. */
	adapt(status: number | undefined): void {
		if (status === 429) this.most = this.places;
		else if (status === undefined || status >= 500)
			this.places = this.most = this.range.concurrency;
		else if (!this.isEmpty) this.places = Math.min(this.most, this.places + 1);
	}
}

const LANES: readonly Lane[] = ['submits', 'others'];

/**
 * Lets the requests of one account start, in turn between its clients: a client with five requests does
 * not wait for one with five thousand. When they may start is decided by a `Limit`.
 */
export class RateLimiter {
	/** Clients with waiting requests; the next in turn is first. */
	private readonly waiting = new Set<ClientQueue>();
	private active = 0;
	private arrivals = 0;
	private refusedAt = -Infinity;
	private cancelTimer = () => {};

	constructor(
		private readonly clock: Clock,
		private readonly limit: Limit = new LaneLimits(() => new LearnedLimit()),
	) {}

	/** Nothing waits or is under way. */
	get isIdle(): boolean {
		return !this.active && !this.waiting.size;
	}

	/** The gateway has refused a request of the account lately. */
	get isRefusing(): boolean {
		return this.clock.now() - this.refusedAt < REFUSING_MS;
	}

	join(range: ConcurrencyRange): LimitedClient {
		const client = new ClientQueue(range);
		return { acquire: async (options) => await this.acquire(client, options) };
	}

	private async acquire(
		client: ClientQueue,
		{ kind, until, notBefore, isWanted = () => true, signal }: AcquireOptions,
	): Promise<Permit | NotStarted> {
		if (signal?.aborted) return 'stopped';
		return await new Promise((resolve) => {
			const settle = (outcome: Permit | NotStarted) => {
				cancelDeadline();
				forgetStop();
				client.delete(waiting);
				if (client.isEmpty) this.waiting.delete(client);
				resolve(outcome);
			};
			const waiting: Waiting = {
				lane: kind === 'submit' ? 'submits' : 'others',
				arrival: (this.arrivals += 1),
				notBefore,
				begin: () => settle(isWanted() ? this.start(client, waiting.lane) : 'unwanted'),
			};
			const forgetStop = onAbort(signal, () => settle('stopped'));
			const leftMs = Math.max(0, until - this.clock.now());
			const cancelDeadline =
				leftMs > LONGEST_TIMER_MS ? () => {} : this.clock.after(leftMs, () => settle('late'));
			client.add(waiting);
			this.waiting.add(client);
			this.dispatch();
		});
	}

	private start(client: ClientQueue, lane: Lane): Permit {
		const end: EndAttempt = this.limit.start(lane, this.clock.now());
		client.active += 1;
		this.active += 1;
		return {
			end: (outcome) => {
				const now = this.clock.now();
				client.active -= 1;
				this.active -= 1;
				if (outcome.status === 429) this.refusedAt = now;
				client.adapt(outcome.status);
				end(outcome, now);
				this.dispatch();
			},
		};
	}

	/** Starts what may start, one request of each client in turn. */
	private dispatch(): void {
		const now = this.clock.now();
		for (let next = this.next(now); next; next = this.next(now)) {
			const { client, waiting } = next;
			client.delete(waiting);
			this.waiting.delete(client);
			this.waiting.add(client);
			waiting.begin();
		}
		this.resumeLater(now);
	}

	private next(now: number): { client: ClientQueue; waiting: Waiting } | undefined {
		const open = LANES.filter((lane) => this.limit.opensAt(lane, now) <= now);
		if (!open.length) return undefined;
		for (const client of this.waiting) {
			if (!client.hasPlace) continue;
			const [waiting] = open
				.flatMap((lane) => client.first(lane, now) ?? [])
				.sort((a, b) => a.arrival - b.arrival);
			if (waiting) return { client, waiting };
		}
		return undefined;
	}

	/** Dispatches again when a delay is over or the limit opens. */
	private resumeLater(now: number): void {
		this.cancelTimer();
		const times = [...this.waiting]
			.filter((client) => client.hasPlace)
			.flatMap((client) =>
				LANES.map((lane) => Math.max(client.readyAt(lane, now), this.limit.opensAt(lane, now))),
			);
		const leftMs = Math.min(...times) - now;
		if (leftMs > LONGEST_TIMER_MS) return;
		this.cancelTimer = this.clock.after(leftMs, () => this.dispatch(), { keepsProcess: true });
	}
}
