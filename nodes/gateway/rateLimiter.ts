import { onAbort } from './abort';
import type { Clock } from './context';
import { stoppedError } from './errors';
import { ConcurrencyEstimate } from './concurrencyEstimate';
import { ConcurrencyGrowth, type ConcurrencyRange } from './concurrencyGrowth';
import type { LaneRequest } from './rateLane';
import { retryAfterMs, type RequestKind } from './retry';
import { SharedLimits, type LaneName } from './sharedLimits';

/** A request that is under way for so many times as long as a refusal takes counts as accepted. */
const CONFIRM_FACTOR = 2;
/** How fast the time shrinks again where refusals come sooner. */
const CONFIRM_DECAY = 0.95;
/** The same in milliseconds, before any refusal, and within bounds. */
const FIRST_CONFIRM_MS = 80;
const SHORTEST_CONFIRM_MS = 30;
const LONGEST_CONFIRM_MS = 300;
/** Waiting requests, as a multiple of those that may be under way at once, that are many. */
const RAMP_QUEUE = 8;

/** How long a request may wait for its turn. */
export interface QueueLimits {
	/** Unix milliseconds. */
	startedAt: number;
	/** Longest time without any accepted request of its lane, in milliseconds. */
	budgetMs: number;
	/** Latest moment to begin, Unix milliseconds. */
	until: number;
	/** It was refused before. */
	wasRefused?: boolean;
}

interface Waiting {
	/** Order of arrival over both lanes. */
	arrival: number;
	limits: QueueLimits;
	/** Takes undefined when its turn would come too late. */
	begin: (request: LaneRequest | undefined) => void;
}

/** The requests of one kind that wait, and what they may do. */
interface Lane {
	readonly name: LaneName;
	queue: Waiting[];
	lastAcceptedAt: number;
	/** Requests under way that were not refused at once. */
	settled: number;
	/** When a queued request may have waited too long, at the earliest. */
	checkAt: number;
}

interface Outcome {
	status?: number;
	headers: Record<string, unknown>;
}

export interface Turn<T> {
	outcome: T;
	/** It was refused, which says nothing about the others: only this request has to wait. */
	isRandom: boolean;
}

const createLane = (name: LaneName): Lane => ({
	name,
	queue: [],
	lastAcceptedAt: 0,
	settled: 0,
	checkAt: Infinity,
});

/**
 * The limits of one run, shared by its items: how many requests are under way at once, and how many
 * go out per time. A 429 is a fact for the run: nobody else asks until it is likely to be over.
 */
export class RateLimiter {
	/** Of both lanes together. */
	private readonly all = new ConcurrencyEstimate();
	private readonly limits = new SharedLimits(this.all);
	private readonly submits = createLane('submits');
	private readonly others = createLane('others');
	private hasBegun = false;
	private arrivals = 0;
	private confirmMs = FIRST_CONFIRM_MS;
	private cancelTimer = () => {};

	private readonly growth: ConcurrencyGrowth;

	constructor(
		private readonly clock: Clock,
		private readonly range: ConcurrencyRange,
	) {
		this.growth = new ConcurrencyGrowth(range);
	}

	get hasBeenRefused(): boolean {
		return this.limits.hasBeenRefused;
	}

	/** Milliseconds until a request of this kind may go out at the earliest. */
	delayOf(kind: RequestKind): number {
		const now = this.clock.now();
		return (this.limits.of(this.laneOf(kind).name).opensAt(now) ?? now) - now;
	}

	/**
	 * Does the work when its turn has come; gives undefined when that would be too late. Rejects at once
	 * when the user stops the execution.
	 */
	async run<T extends Outcome>(
		kind: RequestKind,
		limits: QueueLimits,
		signal: AbortSignal | undefined,
		work: () => Promise<T>,
	): Promise<Turn<T> | undefined> {
		const lane = this.laneOf(kind);
		const request = await this.takeTurn(lane, limits, signal);
		if (!request) return undefined;
		let isSettled = false;
		const cancel = this.clock.after(this.confirmMs, () => {
			isSettled = true;
			lane.settled += 1;
			this.limits.accept(request, this.clock.now(), false);
			this.begin();
		});
		let turn: Turn<T> | undefined;
		try {
			turn = { outcome: await work(), isRandom: false };
			return turn;
		} finally {
			cancel();
			if (isSettled) lane.settled -= 1;
			const isRandom = this.note(lane, request, turn?.outcome);
			if (turn) turn.isRandom = isRandom;
			this.begin();
		}
	}

	private get lanes(): Lane[] {
		return [this.submits, this.others];
	}

	private laneOf(kind: RequestKind): Lane {
		return kind === 'submit' ? this.submits : this.others;
	}

	private async takeTurn(
		lane: Lane,
		limits: QueueLimits,
		signal: AbortSignal | undefined,
	): Promise<LaneRequest | undefined> {
		if (signal?.aborted) throw stoppedError();
		let forget = () => {};
		try {
			return await new Promise<LaneRequest | undefined>((begin, reject) => {
				const waiting = { arrival: (this.arrivals += 1), limits, begin };
				const stop = () => {
					// All are stopped at once, in their order; one that has begun is not in it any more.
					const place = lane.queue.indexOf(waiting);
					if (place >= 0) lane.queue.splice(place, 1);
					reject(stoppedError());
				};
				forget = onAbort(signal, stop);
				lane.queue.push(waiting);
				lane.checkAt = Math.min(lane.checkAt, this.latestStart(lane, limits));
				if (!this.hasBegun) this.clock.after(0, () => this.decideRamp(lane));
				this.hasBegun = true;
				this.begin();
			});
		} finally {
			forget();
		}
	}

	/** A request under way counts as accepted for as long as it takes. */
	private latestStart(lane: Lane, { startedAt, budgetMs, until }: QueueLimits): number {
		if (!this.limits.of(lane.name).hasBeenRefused) return until;
		const alike = this.limits.areTogether ? this.lanes : [lane];
		const acceptedAt = alike.some(({ settled }) => settled)
			? this.clock.now()
			: Math.max(...alike.map(({ lastAcceptedAt }) => lastAcceptedAt));
		return Math.min(until, Math.max(startedAt, acceptedAt) + budgetMs);
	}

	/** Sends away what cannot begin in time. */
	private rejectLate(lane: Lane, now: number): void {
		const opensAt = this.limits.of(lane.name).opensAt(now) ?? now;
		if (now < lane.checkAt && opensAt <= lane.checkAt) return;
		const [late, early]: [Waiting[], Waiting[]] = [[], []];
		lane.checkAt = Infinity;
		for (const waiting of lane.queue) {
			const latest = this.latestStart(lane, waiting.limits);
			const isLate = now >= latest || opensAt > latest;
			(isLate ? late : early).push(waiting);
			if (!isLate) lane.checkAt = Math.min(lane.checkAt, latest);
		}
		lane.queue = early;
		for (const { begin } of late) begin(undefined);
	}

	/** Where few requests wait, a ramp would cost more time than refusals. */
	private decideRamp(lane: Lane): void {
		if (lane.queue.length >= this.range.concurrency * (RAMP_QUEUE - 1)) return;
		this.limits.of(lane.name).endRamp();
		this.begin();
	}

	/** Whether the request was refused by chance. */
	private note(lane: Lane, request: LaneRequest, outcome: Outcome | undefined): boolean {
		const now = this.clock.now();
		this.growth.note(outcome?.status, lane.queue.length > 0);
		if (outcome?.status !== 429) {
			lane.lastAcceptedAt = now;
			this.limits.accept(request, now, true);
			return false;
		}
		lane.checkAt = now;
		const refusalMs = now - request.startedAt;
		this.confirmMs = Math.min(
			LONGEST_CONFIRM_MS,
			Math.max(SHORTEST_CONFIRM_MS, CONFIRM_FACTOR * refusalMs, CONFIRM_DECAY * this.confirmMs),
		);
		const namedMs = retryAfterMs(outcome.headers['retry-after'], now);
		return this.limits.refuse(lane.name, request, now, namedMs);
	}

	/** Lets begin what may, in order of arrival. */
	private begin(): void {
		const now = this.clock.now();
		while (this.all.size < this.growth.current && this.all.mayStart(now)) {
			const [next] = this.lanes
				.flatMap((lane) => this.nextOf(lane, now))
				.sort((a, b) => a.waiting.arrival - b.waiting.arrival);
			if (!next) break;
			const { lane, waiting } = next;
			lane.queue.splice(lane.queue.indexOf(waiting), 1);
			const isNew = !waiting.limits.wasRefused;
			waiting.begin(this.limits.start(lane.name, now, isNew));
		}
		for (const lane of this.lanes) this.rejectLate(lane, now);
		this.armTimer(now);
	}

	/** The first of the lane that may begin, if any. */
	private nextOf(lane: Lane, now: number): { lane: Lane; waiting: Waiting }[] {
		const { name, queue } = lane;
		if (!queue.length || !this.limits.mayStart(name, now, true)) return [];
		const isOpen = this.limits.mayStart(name, now, false);
		const waiting = isOpen ? queue[0] : queue.find(({ limits }) => !limits.wasRefused);
		return waiting ? [{ lane, waiting }] : [];
	}

	/** The end of a delay must be noticed while nothing begins or ends. */
	private armTimer(now: number): void {
		this.cancelTimer();
		const waiting = this.lanes.filter(({ queue }) => queue.length);
		if (!waiting.length) return;
		const times = waiting.flatMap(({ name, checkAt }) => {
			const limits = this.limits.of(name);
			return [limits.opensAt(now) ?? now, limits.trialAt, checkAt];
		});
		const [next] = [this.all.trialAt, ...times].filter((at) => at > now).sort((a, b) => a - b);
		if (next !== undefined && Number.isFinite(next))
			this.cancelTimer = this.clock.after(next - now, () => this.begin());
	}
}
