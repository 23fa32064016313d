import type { Clock } from './context';
import { stoppedError } from './errors';
import { CONFIRM_MS, RatePacer, type PacedCall } from './ratePacer';
import { retryAfterMs, type RequestKind } from './retry';

/** Milliseconds without a refusal after which more places are tried again. */
const QUIET_MS = 5_000;
const GROWTH = 1.25;

/** How long a request may wait for its turn. */
export interface QueueLimits {
	/** Unix milliseconds. */
	startedAt: number;
	/** Longest time without any accepted request of its lane, in milliseconds. */
	budgetMs: number;
	/** Latest moment to begin, Unix milliseconds. */
	until: number;
}

interface Waiting {
	/** Order of arrival over both lanes. */
	arrival: number;
	limits: QueueLimits;
	/** Takes undefined when its turn would come too late. */
	begin: (request: PacedCall | undefined) => void;
}

/** Submissions and other requests may be limited apart, so each lane learns its own pace. */
interface Lane {
	pacer: RatePacer;
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

const createLane = (): Lane => ({
	pacer: new RatePacer(),
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
	private readonly submits = createLane();
	private readonly others = createLane();
	private arrivals = 0;
	private running = 0;
	private places: number;
	private changedAt = 0;
	private cancelTimer = () => {};

	constructor(
		private readonly clock: Clock,
		private readonly most: number,
	) {
		this.places = most;
	}

	get hasBeenRefused(): boolean {
		return this.lanes.some(({ pacer }) => pacer.hasBeenRefused);
	}

	/** Milliseconds until a request of this kind may go out at the earliest. */
	delayOf(kind: RequestKind): number {
		const now = this.clock.now();
		return (this.laneOf(kind).pacer.opensAt(now) ?? now) - now;
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
	): Promise<T | undefined> {
		const lane = this.laneOf(kind);
		const request = await this.takeTurn(lane, limits, signal);
		if (!request) return undefined;
		let isSettled = false;
		const cancel = this.clock.after(CONFIRM_MS, () => {
			isSettled = true;
			lane.settled += 1;
			lane.pacer.accept(request, this.clock.now());
			this.begin();
		});
		let outcome: T | undefined;
		try {
			outcome = await work();
			return outcome;
		} finally {
			cancel();
			this.running -= 1;
			if (isSettled) lane.settled -= 1;
			this.note(lane, request, outcome);
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
	): Promise<PacedCall | undefined> {
		if (signal?.aborted) throw stoppedError();
		let stop = () => {};
		try {
			return await new Promise<PacedCall | undefined>((begin, reject) => {
				const waiting = { arrival: (this.arrivals += 1), limits, begin };
				stop = () => {
					lane.queue = lane.queue.filter((other) => other !== waiting);
					reject(stoppedError());
				};
				signal?.addEventListener('abort', stop, { once: true });
				lane.queue.push(waiting);
				lane.checkAt = Math.min(lane.checkAt, this.latestStart(lane, limits));
				this.begin();
			});
		} finally {
			signal?.removeEventListener('abort', stop);
		}
	}

	/** A request under way counts as accepted for as long as it takes. */
	private latestStart(lane: Lane, { startedAt, budgetMs, until }: QueueLimits): number {
		if (!lane.pacer.hasBeenRefused) return until;
		const acceptedAt = lane.settled ? this.clock.now() : lane.lastAcceptedAt;
		return Math.min(until, Math.max(startedAt, acceptedAt) + budgetMs);
	}

	/** Sends away what cannot begin in time. */
	private rejectLate(lane: Lane, now: number): void {
		const opensAt = lane.pacer.opensAt(now) ?? now;
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

	private note(lane: Lane, request: PacedCall, outcome: Outcome | undefined): void {
		const now = this.clock.now();
		if (outcome?.status !== 429) {
			lane.lastAcceptedAt = now;
			lane.pacer.accept(request, now);
			return;
		}
		lane.pacer.refuse(request, now, retryAfterMs(outcome.headers['retry-after'], now));
		lane.checkAt = now;
		// Others have been under way for a while: the gateway may limit how many are at once.
		const settled = this.submits.settled + this.others.settled;
		if (settled > 0)
			this.setPlaces(Math.min(this.places, Math.max(settled, Math.ceil(this.places / 2))));
	}

	private setPlaces(count: number): void {
		this.places = Math.min(this.most, Math.max(1, count));
		this.changedAt = this.clock.now();
	}

	/** Lets begin what may, in order of arrival. */
	private begin(): void {
		const now = this.clock.now();
		if (this.places < this.most && now - this.changedAt > QUIET_MS)
			this.setPlaces(Math.ceil(this.places * GROWTH));
		while (this.running < this.places) {
			const [lane] = this.lanes
				.filter(({ queue, pacer }) => queue.length && pacer.mayStart(now))
				.sort((a, b) => a.queue[0]!.arrival - b.queue[0]!.arrival);
			if (!lane) break;
			this.running += 1;
			lane.queue.shift()!.begin(lane.pacer.start(now));
		}
		for (const lane of this.lanes) this.rejectLate(lane, now);
		this.armTimer(now);
	}

	/** Quiet time and the end of a pause must be noticed while nothing begins or ends. */
	private armTimer(now: number): void {
		this.cancelTimer();
		const waiting = this.lanes.filter(({ queue }) => queue.length);
		if (!waiting.length) return;
		const times = waiting.flatMap(({ pacer, checkAt }) => [pacer.opensAt(now) ?? now, checkAt]);
		if (this.places < this.most) times.push(this.changedAt + QUIET_MS + 1);
		const [next] = times.filter((at) => at > now).sort((a, b) => a - b);
		if (next !== undefined && Number.isFinite(next))
			this.cancelTimer = this.clock.after(next - now, () => this.begin());
	}
}
