import type { Clock } from './context';
import { stoppedError } from './errors';
import { CONFIRM_MS, RatePacer, type PacedCall } from './ratePacer';
import { retryAfterMs, type RequestKind } from './retry';

/** Milliseconds without a refusal after which more places are tried again. */
const QUIET_MS = 5_000;
const GROWTH = 1.25;

interface Waiting {
	/** Order of arrival over both lanes. */
	arrival: number;
	begin: (call: PacedCall) => void;
}

/** Submissions and other requests may be limited apart, so each lane learns its own pace. */
interface Lane {
	pacer: RatePacer;
	queue: Waiting[];
	lastAcceptedAt: number;
}

interface Outcome {
	status?: number;
	headers: Record<string, unknown>;
}

const createLane = (): Lane => ({ pacer: new RatePacer(), queue: [], lastAcceptedAt: 0 });

/**
 * The limits of one run, shared by its items: how many requests are under way at once, and how many
 * go out per time. A 429 is a fact for the run: nobody else asks until it is likely to be over.
 */
export class RateLimiter {
	private readonly submits = createLane();
	private readonly others = createLane();
	private arrivals = 0;
	private running = 0;
	/** Requests under way that were not refused at once. */
	private settled = 0;
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

	/** When the last request of this kind was accepted; Unix milliseconds, 0 when none was. */
	lastAcceptedAt(kind: RequestKind): number {
		return this.laneOf(kind).lastAcceptedAt;
	}

	/** Milliseconds until a request of this kind may go out at the earliest. */
	delayOf(kind: RequestKind): number {
		const now = this.clock.now();
		return (this.laneOf(kind).pacer.opensAt(now) ?? now) - now;
	}

	/** Does the work when its turn has come. Rejects at once when the user stops the execution. */
	async run<T extends Outcome>(
		kind: RequestKind,
		signal: AbortSignal | undefined,
		work: () => Promise<T>,
	): Promise<T> {
		const lane = this.laneOf(kind);
		const call = await this.takeTurn(lane, signal);
		let isSettled = false;
		const cancel = this.clock.after(CONFIRM_MS, () => {
			isSettled = true;
			this.settled += 1;
			lane.pacer.accept(call, this.clock.now());
			this.begin();
		});
		let outcome: T | undefined;
		try {
			outcome = await work();
			return outcome;
		} finally {
			cancel();
			this.running -= 1;
			if (isSettled) this.settled -= 1;
			this.note(lane, call, outcome);
			this.begin();
		}
	}

	private get lanes(): Lane[] {
		return [this.submits, this.others];
	}

	private laneOf(kind: RequestKind): Lane {
		return kind === 'submit' ? this.submits : this.others;
	}

	private async takeTurn(lane: Lane, signal: AbortSignal | undefined): Promise<PacedCall> {
		if (signal?.aborted) throw stoppedError();
		let stop = () => {};
		try {
			return await new Promise<PacedCall>((begin, reject) => {
				const entry = { arrival: (this.arrivals += 1), begin };
				stop = () => {
					lane.queue.splice(lane.queue.indexOf(entry), 1);
					reject(stoppedError());
				};
				signal?.addEventListener('abort', stop, { once: true });
				lane.queue.push(entry);
				this.begin();
			});
		} finally {
			signal?.removeEventListener('abort', stop);
		}
	}

	private note(lane: Lane, call: PacedCall, outcome: Outcome | undefined): void {
		const now = this.clock.now();
		if (outcome?.status !== 429) {
			lane.lastAcceptedAt = now;
			lane.pacer.accept(call, now);
			return;
		}
		lane.pacer.refuse(call, now, retryAfterMs(outcome.headers['retry-after'], now));
		// Others have been under way for a while: the gateway may limit how many are at once.
		if (this.settled > 0)
			this.setPlaces(Math.min(this.places, Math.max(this.settled, Math.ceil(this.places / 2))));
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
		this.armTimer(now);
	}

	/** Quiet time and the end of a pause must be noticed while nothing begins or ends. */
	private armTimer(now: number): void {
		this.cancelTimer();
		const waiting = this.lanes.filter(({ queue }) => queue.length);
		if (!waiting.length) return;
		const times = waiting.map(({ pacer }) => pacer.opensAt(now) ?? now);
		if (this.places < this.most) times.push(this.changedAt + QUIET_MS + 1);
		const [next] = times.filter((at) => at > now).sort((a, b) => a - b);
		if (next !== undefined) this.cancelTimer = this.clock.after(next - now, () => this.begin());
	}
}
