import type { ConcurrencyEstimate } from './concurrencyEstimate';
import { RateLane, type LaneRequest } from './rateLane';

/** Requests of the other kind that must be accepted, one after the other, while one kind is refused. */
const ACCEPTED_TO_PART = 2;

export type LaneName = 'submits' | 'others';

const OTHER: Record<LaneName, LaneName> = { submits: 'others', others: 'submits' };

/**
 * Whether submissions and all other requests are limited together or apart. They count as one until a
 * refusal of one kind shows otherwise: while that kind is held back, requests of the other are sent as
 * tests, and when these are accepted each kind goes on with limits of its own. Tests that are refused
 * make the next ones rarer.
 */
export class SharedLimits {
	private readonly lanes: Record<LaneName, RateLane>;
	/** The kind that was refused last, while the other is to be tested. */
	private refused: LaneName | undefined;
	private candidate: RateLane | undefined;
	private isTesting = false;
	private accepted = 0;
	/** Refusals until the next test, and from one to the next. */
	private rest = 0;
	private gap = 1;

	constructor(private readonly all: ConcurrencyEstimate) {
		const together = new RateLane(all);
		this.lanes = { submits: together, others: together };
	}

	get areTogether(): boolean {
		return this.lanes.submits === this.lanes.others;
	}

	get hasBeenRefused(): boolean {
		return this.lanes.submits.hasBeenRefused || this.lanes.others.hasBeenRefused;
	}

	of(lane: LaneName): RateLane {
		return this.lanes[lane];
	}

	/** `isNew`: the request was not refused before. */
	mayStart(lane: LaneName, now: number, isNew: boolean): boolean {
		return this.lanes[lane].mayStart(now, isNew) || this.isTestDue(lane);
	}

	start(lane: LaneName, now: number, isNew: boolean): LaneRequest {
		if (this.lanes[lane].mayStart(now, isNew)) return this.lanes[lane].start(now);
		this.isTesting = true;
		this.candidate ??= new RateLane(this.all);
		return this.candidate.start(now);
	}

	/** The request was not refused, and will not be; `hasEnded` when it was answered. */
	accept(request: LaneRequest, now: number, hasEnded: boolean): void {
		request.limits.accept(request, now);
		if (!hasEnded) return;
		request.limits.end(request, now);
		if (request.limits !== this.candidate) return;
		this.isTesting = false;
		this.accepted += 1;
		if (this.accepted < ACCEPTED_TO_PART || !this.refused) return;
		this.lanes[OTHER[this.refused]] = this.candidate;
		this.forget();
	}

	/** Whether it was refused by chance, so the others need not wait. */
	refuse(lane: LaneName, request: LaneRequest, now: number, retryAfterMs?: number): boolean {
		const isTest = request.limits === this.candidate;
		const isRandom = request.limits.refuse(request, now, retryAfterMs);
		if (!this.areTogether || isRandom) return isRandom;
		if (isTest) {
			this.rest = this.gap *= 2;
			this.forget();
			return false;
		}
		this.rest -= 1;
		if (this.rest <= 0 && !this.candidate) this.refused = lane;
		return false;
	}

	/** The other kind is held back as well, though it may not have to be. */
	private isTestDue(lane: LaneName): boolean {
		const isOther = this.refused !== undefined && lane === OTHER[this.refused];
		return isOther && this.areTogether && !this.isTesting && this.lanes[lane].isClosed;
	}

	private forget(): void {
		this.refused = this.candidate = undefined;
		this.isTesting = false;
		this.accepted = 0;
	}
}
