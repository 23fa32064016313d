/** A step of a trial, as a share of what is known. A length is known well enough when its bounds are as close. */
export const STEP = 0.05;
/** So many windows in a row prove that a larger one holds, or that nothing can be learned here. With 1, 17.6 % of 1,500 requests are refused instead of 6.5 %. */
const PROOF = 3;
/** Windows between two trials at first, twice as many after each that fails: it costs a refusal. */
const FIRST_GAP = 2;

/** A window: how many requests, until when after its opening. */
export interface Plan {
	quota: number;
	/** Undefined until it is known. */
	lengthMs: number | undefined;
	trial?: 'shorter' | 'larger';
}

/**
 * What is known of a limit per time: how many requests, in a window of which length. Trials of shorter and
 * larger windows follow, ever more rarely. A trial counts when it has held for some windows, and a single
 * window that took less changes nothing.
 */
export class WindowEstimate {
	quota = Infinity;
	lengthMs: number | undefined;
	/** Windows in a row that took what was planned. */
	held = 0;
	/** A window of this length was refused. */
	private tooShortMs = 0;
	/** What was known before a trial that is not proven yet. */
	private before: (Plan & { proof: number }) | undefined;
	private missed = 0;
	private gap = FIRST_GAP;
	/** Requests accepted since the last trial. */
	private sinceTrial = 0;
	/** Larger windows in a row that held; the step doubles with each. */
	private growth = 0;

	get plan(): Plan {
		return { quota: this.quota, lengthMs: this.lengthMs };
	}

	/** Requests per millisecond, when they are known. */
	get rate(): number | undefined {
		return this.lengthMs === undefined ? undefined : this.quota / this.lengthMs;
	}

	/** Windows keep taking less than was known. */
	get isUseless(): boolean {
		return this.missed >= PROOF;
	}

	accept(): void {
		this.sinceTrial += 1;
	}

	learn(quota: number, lengthMs: number): void {
		[this.quota, this.lengthMs] = [quota, lengthMs];
	}

	/** The window after one that took all it was planned to. */
	planAfter({ quota: lastQuota, lengthMs: lastMs, trial }: Plan): Plan {
		const { quota, lengthMs, tooShortMs, growth } = this;
		if (lengthMs === undefined) return this.plan;
		// What is under way has not been refused so far.
		if (trial === 'shorter') return { quota, lengthMs: lastMs };
		if (trial === 'larger') return this.planLarger(lastQuota, growth + 1);
		if (this.sinceTrial < this.gap * quota) return this.plan;
		if (!growth && lengthMs - tooShortMs > STEP * lengthMs)
			return { quota, lengthMs: (lengthMs + tooShortMs) / 2, trial: 'shorter' };
		return this.planLarger(quota, growth);
	}

	private planLarger(quota: number, growth: number): Plan {
		const more = Math.min(quota, Math.max(1, Math.floor(quota * STEP)) * 2 ** growth);
		return { quota: quota + more, lengthMs: this.lengthMs, trial: 'larger' };
	}

	/** A window took what was planned. */
	hold({ quota, lengthMs, trial }: Plan): void {
		this.held += 1;
		this.missed = 0;
		if (this.before && this.held >= this.before.proof) {
			this.before = undefined;
			this.gap = FIRST_GAP;
		}
		if (!trial) return;
		// Where the clock sets the windows, a shorter one holds by luck until it has drifted through one of them.
		const drift = Math.ceil(this.lengthMs! / (this.lengthMs! - lengthMs!)) + 1;
		const proof = trial === 'larger' ? PROOF : drift;
		this.before = { ...this.plan, trial, ...this.before, proof };
		this.held = 1;
		this.learn(quota, lengthMs!);
		if (trial === 'larger') this.growth += 1;
		this.sinceTrial = Infinity;
	}

	/** A window took `taken` requests, less than was planned, or was over after `ageMs`, later than planned. */
	miss(plan: Plan, taken: number, ageMs: number): void {
		this.held = 0;
		if (plan.trial) return this.failTrial(plan);
		this.missed += 1;
		const { before } = this;
		if (before) {
			this.failTrial({ ...this.plan, trial: before.trial });
			this.learn(before.quota, before.lengthMs!);
			this.before = undefined;
			return;
		}
		// Once is luck, or the window began at another time than the gateway's.
		if (this.missed > 1 && taken) this.learn(taken, ageMs);
	}

	failTrial({ trial, lengthMs }: Plan): void {
		if (trial === 'shorter') this.rejectLength(lengthMs!);
		else {
			this.growth = 0;
			// A length that was too short need not be so for ever.
			this.tooShortMs = 0;
		}
		this.sinceTrial = 0;
		this.gap *= 2;
	}

	/** A window of this length was not over. */
	rejectLength(ms: number): void {
		this.tooShortMs = Math.max(this.tooShortMs, ms);
	}

	/** Goes on with what is known, after requests that it has not seen. */
	restart(): void {
		this.missed = this.held = 0;
	}
}
