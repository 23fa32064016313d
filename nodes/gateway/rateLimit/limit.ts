/** What came of an attempt, as far as limits go. */
export interface Outcome {
	/** Undefined when no usable response came. */
	status?: number;
	/** Milliseconds the gateway asks to wait. */
	retryAfterMs?: number;
}

/** One request too many; some gateways say so with 503. */
export const isRefusal = ({ status }: Outcome): boolean => status === 429 || status === 503;

/** Submissions and all other requests may be limited together or apart. */
export type Lane = 'submits' | 'others';

/** To be called once, when the attempt has ended. */
export type EndAttempt = (outcome: Outcome, now: number) => void;

/** An algorithm that decides when requests may start, and learns from how they end. Times in Unix milliseconds. */
export interface Limit {
	/** When a request may start: now or earlier, later, or `Infinity` while only the end of an attempt tells. */
	opensAt(lane: Lane, now: number): number;
	/** A request has started. */
	start(lane: Lane, now: number): EndAttempt;
}

/** Requests without an answer at first; as many as a run of a node begins with. */
export const FIRST_BURST = 20;

/** Accepted requests between two tries of what costs a refusal when it fails, at first and at most. */
const FIRST_GAP = 16;
const LONGEST_GAP = 512;

/** Exponential backoff that counts accepted requests instead of time. The first try is due at once. */
export class Backoff {
	private gap = FIRST_GAP;
	private left = 0;

	get isDue(): boolean {
		return this.left <= 0;
	}

	accept(): void {
		this.left -= 1;
	}

	/** The try has begun, or has failed. */
	delay(): void {
		this.left = this.gap;
		this.gap = Math.min(LONGEST_GAP, this.gap * 2);
	}

	/** It has succeeded, so the next one is due. */
	reset(): void {
		this.gap = FIRST_GAP;
		this.left = 0;
	}
}

/** Requests of one lane that must be accepted in a row while the other is refused. */
const ACCEPTED_TO_PART = 2;

/**
 * Submissions and all other requests count together until the gateway shows that it limits them apart:
 * while one lane is refused, requests of the other are sent as tests. A refused test makes the next one rarer.
 */
export class LaneLimits implements Limit {
	private readonly lanes: Record<Lane, Limit>;
	/** The lane that was refused last. */
	private refused: Lane | undefined;
	private isTesting = false;
	private accepted = 0;
	/** Refusals until the next test, and from one to the next. */
	private rest = 1;
	private gap = 1;

	constructor(private readonly createLimit: () => Limit) {
		const together = createLimit();
		this.lanes = { submits: together, others: together };
	}

	opensAt(lane: Lane, now: number): number {
		const at = this.lanes[lane].opensAt(lane, now);
		return at > now && this.isTestDue(lane) ? now : at;
	}

	start(lane: Lane, startedAt: number): EndAttempt {
		const limit = this.lanes[lane];
		if (limit.opensAt(lane, startedAt) > startedAt) return this.startTest(lane);
		const end = limit.start(lane, startedAt);
		return (outcome, now) => {
			if (isRefusal(outcome)) this.refuse(lane);
			end(outcome, now);
		};
	}

	private get areTogether(): boolean {
		return this.lanes.submits === this.lanes.others;
	}

	private isTestDue(lane: Lane): boolean {
		const isOther = this.refused !== undefined && lane !== this.refused;
		return isOther && this.areTogether && !this.isTesting && this.rest <= 0;
	}

	private refuse(lane: Lane): void {
		if (this.isTesting) return;
		this.rest -= 1;
		if (lane !== this.refused) this.accepted = 0;
		this.refused = lane;
	}

	private startTest(lane: Lane): EndAttempt {
		this.isTesting = true;
		return (outcome) => {
			this.isTesting = false;
			this.accepted = isRefusal(outcome) ? 0 : this.accepted + 1;
			if (isRefusal(outcome)) this.rest = this.gap *= 2;
			else if (this.accepted >= ACCEPTED_TO_PART) this.lanes[lane] = this.createLimit();
		};
	}
}
