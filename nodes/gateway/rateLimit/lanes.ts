import { LearnedLimit } from './learnedLimit';
import { isRefusal, type EndAttempt, type Lane, type Limit } from './limit';

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

	constructor(private readonly createLimit: () => Limit = () => new LearnedLimit()) {
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
