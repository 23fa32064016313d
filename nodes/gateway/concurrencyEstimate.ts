/** A request under way. */
export interface ActiveRequest {
	readonly startedAt: number;
	/** Under way when it began, and not refused. */
	readonly others: Set<ActiveRequest>;
	/** How many of the others may have ended before it arrived. */
	ended: number;
	/** How many had ended in all when it began. */
	readonly endedBefore: number;
	isAccepted: boolean;
}

/** What a limit at once has to do with a refusal: it is known, or may be there. */
export type RefusalReason = 'known' | 'suspected' | undefined;

/** Requests that begin within so many milliseconds may arrive in any order. */
const SIMULTANEOUS_MS = 10;
/** Accepted requests between two trials of one more at once, at first. */
const FIRST_TRIAL_GAP = 12;
/** The same after one that was accepted. */
const GROWTH_GAP = 2;
/** A limit that explains a refusal after every few requests is none. */
const MOST_DOUBT = 3;
const DOUBT_RELIEF = 1 / 16;
/** Accepted requests between two tests whether there is a limit, after the first one failed. */
const FIRST_TEST_GAP = 16;
/** The same where a limit is known, which a limit per time would explain less well. */
const RETEST_GAP = 64;
/** Refusals arrive in another order than they were sent, so a first test may be one place too many. */
const MOST_FAILED_TESTS = 1;
/** The share of the time between two starts that has passed when one more is tried. */
const TRIAL_SHARE = 0.8;

/**
 * Finds how many requests at once a gateway takes, if that is what it limits. A refusal while others are
 * under way raises the suspicion. One request is the test, as soon as a place is free: if it is accepted,
 * time was not the reason.
 */
export class ConcurrencyEstimate {
	/** As many may be under way at once. */
	private most = Infinity;
	/** As many may be, if the suspicion is true. */
	private suspected = Infinity;
	/** How often more were accepted than the test had shown. */
	private grown = 0;
	/** Grows with each refusal that the limit explains, and shrinks with what is accepted. */
	private doubt = 0;
	/** It has explained a refusal since it was found. */
	private isProven = false;
	private failedTests = 0;
	private hasFreePlace = false;
	private acceptedSinceTrial = 0;
	private trialGap = FIRST_TRIAL_GAP;
	private acceptedSinceTest = 0;
	private testGap = 0;
	private ended = 0;
	private lastStartAt = 0;
	private lastDurationMs = 0;
	/** How long a refusal takes, there and back. */
	private refusalMs = 0;
	private readonly active = new Set<ActiveRequest>();

	/** As many as are known to be accepted at once. */
	get places(): number {
		return this.most;
	}

	/** Under way, and may be refused yet. */
	get unsettled(): number {
		return [...this.active].filter(({ isAccepted }) => !isAccepted).length;
	}

	get size(): number {
		return this.active.size;
	}

	/** Whether a request may begin as far as a known limit goes. */
	mayStart(now: number): boolean {
		return this.active.size < this.most || now >= this.trialAt;
	}

	/**
	 * When one more than the limit is tried; never while one is. Not beside the start of another, which
	 * a limit per time might refuse as well.
	 */
	get trialAt(): number {
		const isDue = this.active.size === this.most && this.acceptedSinceTrial >= this.trialGap;
		const betweenStartsMs = this.lastDurationMs / this.most;
		return isDue ? this.lastStartAt + betweenStartsMs * TRIAL_SHARE : Infinity;
	}

	/** Whether a request that begins now shows if the suspicion is true. */
	get isTestDue(): boolean {
		return this.hasFreePlace && this.active.size < this.suspected;
	}

	start(now: number): ActiveRequest {
		const others = new Set(this.active);
		const request = {
			...{ startedAt: now, others, ended: 0, endedBefore: this.ended, isAccepted: false },
		};
		if (this.active.size >= this.most) this.acceptedSinceTrial = 0;
		for (const other of this.active)
			if (now - other.startedAt <= SIMULTANEOUS_MS && other.endedBefore === this.ended)
				other.others.add(request);
		this.active.add(request);
		this.lastStartAt = now;
		this.hasFreePlace = false;
		return request;
	}

	/** It was answered otherwise than by a refusal. */
	end(request: ActiveRequest, now: number): void {
		this.lastDurationMs = now - request.startedAt;
		this.ended += 1;
		for (const other of this.active)
			if (other.others.has(request) && now - other.startedAt <= this.refusalMs) other.ended += 1;
		this.remove(request);
		if (this.suspected < Infinity) this.hasFreePlace = true;
	}

	/** It was not refused, and will not be. */
	accept(request: ActiveRequest): void {
		if (request.isAccepted) return;
		request.isAccepted = true;
		this.acceptedSinceTrial += 1;
		this.acceptedSinceTest += 1;
		this.doubt = Math.max(0, this.doubt - DOUBT_RELIEF);
		const others = [...request.others].filter(({ isAccepted }) => isAccepted).length;
		const surely = others - request.ended;
		if (surely >= this.suspected) this.suspected = Infinity;
		if (surely < this.most) return;
		this.grown += surely + 1 - this.most;
		this.most = surely + 1;
		this.trialGap = GROWTH_GAP;
	}

	/** Whether as many others were under way as are known to be accepted. */
	explains({ others }: ActiveRequest): boolean {
		return others.size >= this.most;
	}

	/** What a limit at once has to do with the refusal of this request. */
	refuse(request: ActiveRequest, now: number, isTest = false): RefusalReason {
		this.refusalMs = now - request.startedAt;
		const others = request.others.size;
		const places = [...request.others].filter((other) => !this.active.has(other)).length;
		this.drop(request);
		if (others >= this.most || (this.grown > 0 && others > 0 && others === this.most - 1)) {
			if (others < this.most) [this.most, this.grown] = [others, this.grown - 1];
			this.trialGap = Math.max(FIRST_TRIAL_GAP, this.trialGap * 2);
			this.acceptedSinceTrial = 0;
			this.doubt += 1;
			this.isProven = true;
			if (this.doubt <= MOST_DOUBT) return 'known';
			this.abandon();
			return undefined;
		}
		if (isTest && (others === 0 || this.failedTests === MOST_FAILED_TESTS)) this.reject();
		else if (isTest) this.failedTests += 1;
		const gap = this.most < Infinity ? Math.max(this.testGap, RETEST_GAP) : this.testGap;
		const isNew = this.suspected === Infinity;
		if (others === 0 || (isNew && this.acceptedSinceTest < gap)) return undefined;
		this.suspected = Math.min(this.suspected, others);
		this.hasFreePlace = places > 0;
		return 'suspected';
	}

	/** Something else explains that this request was refused. */
	drop(request: ActiveRequest): void {
		for (const other of this.active) other.others.delete(request);
		this.remove(request);
	}

	/** The test was accepted, though no time had passed: places are what is limited. */
	confirm(): void {
		// Both lanes may have tested the limit of all.
		if (this.suspected === Infinity) return;
		if (this.most < Infinity) this.testGap = Math.max(RETEST_GAP, this.testGap * 2);
		this.most = this.suspected;
		this.isProven = false;
		this.dismiss();
		[this.grown, this.acceptedSinceTrial, this.acceptedSinceTest] = [0, 0, 0];
		this.trialGap = FIRST_TRIAL_GAP;
	}

	/** Refusals come by chance, so one that seemed to show a limit may have too. */
	forgetUnproven(): void {
		if (!this.isProven) [this.most, this.testGap] = [Infinity, 0];
	}

	/** Tests were refused though a place was free. */
	private reject(): void {
		this.dismiss();
		this.acceptedSinceTest = 0;
		this.testGap = Math.max(FIRST_TEST_GAP, this.testGap * 2);
	}

	/** The suspicion cannot be tested any more. */
	dismiss(): void {
		this.suspected = Infinity;
		this.failedTests = 0;
	}

	private abandon(): void {
		this.most = Infinity;
		this.doubt = 0;
		this.reject();
		this.testGap *= 2;
	}

	private remove(request: ActiveRequest): void {
		this.active.delete(request);
		// What ended need not be kept for the sake of what began later.
		request.others.clear();
	}
}
