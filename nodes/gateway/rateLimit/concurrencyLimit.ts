/** Accepted requests between two trials of one more at once, at first and at most. */
const FIRST_TRIAL_GAP = 12;
const LONGEST_TRIAL_GAP = 512;
/** Accepted requests between two tests whether there is a limit at once, after one that failed. */
const FIRST_TEST_GAP = 16;

/** Answers overtake each other, so the first count may be a little too high. */
const MOST_CORRECTIONS = 2;

/** Learns a limit on requests at once. */
export class ConcurrencyLimit {
	/** As many are known to be accepted at once. */
	most = Infinity;
	active = 0;
	private accepted = 0;
	private trialGap = FIRST_TRIAL_GAP;
	private trialAfter = 0;
	private step = 1;
	private corrections = 0;
	private testGap = 0;
	private testAfter = 0;

	get hasRoom(): boolean {
		return this.active < this.most;
	}

	/** Whether a request may start; one more than known now and then. */
	get isOpen(): boolean {
		return this.active < this.most || (this.active === this.most && this.isTrialDue);
	}

	/** Whether a refusal may be tested for a limit at once. */
	get isTestDue(): boolean {
		const isCorrection = this.most < Infinity && this.corrections < MOST_CORRECTIONS;
		return isCorrection || this.accepted >= this.testAfter;
	}

	/** Whether the request is one more than is known to be accepted. */
	start(): boolean {
		this.active += 1;
		const isTrial = this.active > this.most;
		if (isTrial) this.trialAfter = this.accepted + this.trialGap;
		return isTrial;
	}

	end(): void {
		this.active -= 1;
	}

	accept(isTrial: boolean): void {
		this.accepted += 1;
		if (!isTrial) return;
		this.most += this.step;
		this.step *= 2;
		this.trialGap = 2;
		this.trialAfter = this.accepted + this.trialGap;
	}

	/** One more was refused. */
	failTrial(): void {
		this.step = 1;
		this.trialGap = Math.min(LONGEST_TRIAL_GAP, Math.max(FIRST_TRIAL_GAP, this.trialGap * 2));
		this.trialAfter = this.accepted + this.trialGap;
	}

	/** A test showed that so many are accepted at once. */
	learn(most: number): void {
		if (this.most < Infinity) this.corrections += 1;
		this.most = Math.max(1, most);
		this.step = 1;
		this.trialGap = FIRST_TRIAL_GAP;
		this.trialAfter = this.testAfter = this.accepted;
		this.trialAfter += this.trialGap;
		this.testGap = Math.max(64, this.testGap * 2);
		this.testAfter += this.testGap;
	}

	/** The test was refused. */
	reject(): void {
		this.testGap = Math.max(FIRST_TEST_GAP, this.testGap * 2);
		this.testAfter = this.accepted + this.testGap;
	}

	private get isTrialDue(): boolean {
		return this.accepted >= this.trialAfter;
	}
}
