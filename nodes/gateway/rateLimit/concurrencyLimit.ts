import { Backoff, FIRST_BURST, isRefusal, type EndAttempt, type Lane, type Limit } from './limit';

/** The delay where even one request at once is refused, doubling up to the longest. */
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;

/** Learns a limit on requests at once. */
export class ConcurrencyLimit {
	/** As many are known to be accepted at once. */
	most = Infinity;
	private active = 0;
	/** Of one request more than is known. */
	private trials = new Backoff();
	/** Whether a refusal comes from a limit at once. */
	private readonly tests = new Backoff();

	/** Whether a request may start; one more than known now and then. */
	get isOpen(): boolean {
		return this.active < this.most || (this.active === this.most && this.trials.isDue);
	}

	get isTestDue(): boolean {
		return this.tests.isDue;
	}

	/** Whether the request is a trial: one more than is known to be accepted. */
	start(): boolean {
		this.active += 1;
		const isTrial = this.active > this.most;
		if (isTrial) this.trials.delay();
		return isTrial;
	}

	end(): void {
		this.active -= 1;
	}

	accept(isTrial: boolean): void {
		this.trials.accept();
		this.tests.accept();
		if (!isTrial) return;
		this.most += 1;
		this.trials.reset();
	}

	/** A test showed that so many are accepted at once. */
	learn(most: number): void {
		this.most = Math.max(1, most);
		this.trials.reset();
		this.trials.delay();
		// Answers overtake each other, so the count may be a little too high: the next refusal is tested as well.
		this.tests.reset();
	}

	/** The test was refused. */
	reject(): void {
		this.tests.delay();
	}
}

/** Additive increase, multiplicative decrease: one more request at once for each that is accepted, half as many after a refusal. */
export class Aimd implements Limit {
	accepted = 0;
	refused = 0;
	private window = FIRST_BURST;
	private active = 0;
	private delayMs = FIRST_DELAY_MS;
	private delayedUntil = 0;

	opensAt(_lane: Lane, now: number): number {
		return this.active < Math.floor(this.window) ? Math.max(now, this.delayedUntil) : Infinity;
	}

	start(): EndAttempt {
		this.active += 1;
		return (outcome, now) => {
			this.active -= 1;
			if (isRefusal(outcome)) this.decrease(now);
			else this.increase();
		};
	}

	private increase(): void {
		this.accepted += 1;
		this.window += 1;
		this.delayMs = FIRST_DELAY_MS;
	}

	private decrease(now: number): void {
		this.refused += 1;
		if (this.window === 1) {
			this.delayedUntil = now + this.delayMs;
			this.delayMs = Math.min(LONGEST_DELAY_MS, this.delayMs * 2);
		}
		this.window = Math.max(1, this.window / 2);
	}
}
