import { ConcurrencyEstimate, type ActiveRequest, type RefusalReason } from './concurrencyEstimate';
import { RatePacer } from './ratePacer';
import type { PacedCall } from './rateWindow';

/** Requests that go out before the first of them is accepted, where many more wait. */
const RAMP_START = 5;
/** The share of the places that is taken at once when the test for them was accepted. */
const RESTART_SHARE = 0.4;
/** A gateway that names a longer time than this means it. */
const LONGEST_TEST_MS = 10_000;

/** A request that was let out, in all that learns from it. */
export interface LaneRequest {
	readonly startedAt: number;
	/** What learns from it. */
	readonly limits: RateLane;
	readonly paced: PacedCall;
	readonly inLane: ActiveRequest;
	readonly inAll: ActiveRequest;
	/** It shows whether places are what the gateway limits. */
	readonly isTest: boolean;
}

interface Explanation {
	limit: ConcurrencyEstimate;
	reason: RefusalReason;
}

/**
 * What the requests of one kind may do: how many go out per time, and how many at once. Submissions and
 * other requests may be limited apart, so each lane learns its own limits, beside the one of all.
 */
export class RateLane {
	hasBeenRefused = false;
	private pacer = new RatePacer(RAMP_START);
	private readonly concurrency = new ConcurrencyEstimate();
	/** Refused by what may be a limit at once; `pacer` is as if it had not been refused. */
	private suspicion:
		{ limit: ConcurrencyEstimate; pacer: RatePacer; isTesting: boolean } | undefined;

	/** `all` counts the requests of all lanes. */
	constructor(private readonly all: ConcurrencyEstimate) {}

	/** Lets out all that come, as long as none is refused. */
	endRamp(): void {
		this.pacer.endRamp();
	}

	mayStart(now: number): boolean {
		return this.concurrency.mayStart(now) && (this.pacer.mayStart(now) || this.isTestDue);
	}

	/** It is closed after a refusal. */
	get isClosed(): boolean {
		return this.pacer.isClosed;
	}

	/** When a request may begin that may not begin now; undefined when only an answer tells. */
	opensAt(now: number): number | undefined {
		return this.pacer.opensAt(now);
	}

	/** When one more request at once than the known limit may begin. */
	get trialAt(): number {
		return this.concurrency.trialAt;
	}

	start(now: number): LaneRequest {
		const isTest = this.isTestDue;
		if (isTest) this.suspicion!.isTesting = true;
		return {
			startedAt: now,
			limits: this,
			paced: isTest ? this.pacer.startTrial(now) : this.pacer.start(now),
			inLane: this.concurrency.start(now),
			inAll: this.all.start(now),
			isTest,
		};
	}

	/** It was not refused, and will not be. */
	accept({ paced, inLane, inAll, isTest }: LaneRequest, now: number): void {
		if (isTest && this.suspicion?.isTesting) {
			this.suspicion.limit.confirm();
			this.pacer = this.suspicion.pacer;
			this.pacer.restart(paced, Math.ceil(this.suspicion.limit.places * RESTART_SHARE));
			this.suspicion = undefined;
		}
		this.pacer.accept(paced, now);
		// Once time has passed as well, a free place shows nothing.
		if (!this.pacer.isClosed) this.dismiss();
		this.concurrency.accept(inLane);
		this.all.accept(inAll);
	}

	/** It was answered otherwise than by a refusal. */
	end({ inLane, inAll }: LaneRequest, now: number): void {
		this.concurrency.end(inLane, now);
		this.all.end(inAll, now);
	}

	/** It was refused as one too many; `retryAfterMs` where the gateway says when to come again. */
	refuse(request: LaneRequest, now: number, retryAfterMs?: number): void {
		this.hasBeenRefused = true;
		const { limit, reason } = this.explain(request, now);
		if (request.isTest && this.suspicion) {
			this.suspicion.isTesting = false;
			if (reason !== 'suspected') this.suspicion = undefined;
		}
		const mayBePlaces = (retryAfterMs ?? 0) <= LONGEST_TEST_MS;
		if (reason === 'known' && mayBePlaces) {
			this.pacer.ignore(request.paced, now);
			return;
		}
		if (reason === 'suspected' && mayBePlaces)
			this.suspicion ??= { limit, pacer: this.pacer.copy(), isTesting: false };
		this.pacer.refuse(request.paced, now, retryAfterMs);
	}

	/**
	 * Which limit at once explains the refusal. Where requests of other lanes were under way too, it is
	 * more likely the one of all; if not, its tests fail.
	 */
	private explain({ inLane, inAll, isTest }: LaneRequest, now: number): Explanation {
		const isTestOf = (limit: ConcurrencyEstimate) => isTest && this.suspicion?.limit === limit;
		const hasMoreInAll = inAll.others.size > inLane.others.size;
		if (hasMoreInAll && !this.concurrency.explains(inLane)) {
			const reason = this.all.refuse(inAll, now, isTestOf(this.all));
			if (reason) {
				this.concurrency.drop(inLane);
				return { limit: this.all, reason };
			}
		}
		this.all.drop(inAll);
		const reason = this.concurrency.refuse(inLane, now, isTestOf(this.concurrency));
		return { limit: this.concurrency, reason };
	}

	private get isTestDue(): boolean {
		const { suspicion } = this;
		return !!suspicion && !suspicion.isTesting && suspicion.limit.isTestDue;
	}

	private dismiss(): void {
		this.suspicion?.limit.dismiss();
		this.suspicion = undefined;
	}
}
