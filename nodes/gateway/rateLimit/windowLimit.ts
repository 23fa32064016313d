/** Requests without an answer at first: as many as a run of a node begins with. Then as many as were accepted, as in TCP's slow start. */
const FIRST_BURST = 20;
/** Lengths that limits are stated in; a probe comes a little later than these, then every 20 s. */
const USUAL_LENGTHS_MS = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 60_000];
const MARGIN = 1.02;
const LONGEST_PROBE_GAP_MS = 20_000;
/** A length is known well enough when its bounds are this close. */
const PRECISION = 0.06;
/** Share of the quota, or of the length, that is added at a time; it doubles while that succeeds. */
const GROWTH = 0.05;
/** Windows between two trials, doubling with each that is refused; fewer than ten requests are no window to learn from. */
const FIRST_TRIAL_GAP = 2;
const LONGEST_TRIAL_GAP = 6;
const LEAST_TRIAL_REQUESTS = 10;
/** A length that was too short need not be so for ever. */
const FORGET = 0.9;
/** Windows that a larger one must hold before it is taken for true. */
const PROOF = 3;
/** Weight of the last window in the share of those that missed. */
const SMOOTHING = 0.15;

interface Plan {
	quota: number;
	/** From the opening of the window before; undefined until it is known. */
	lengthMs: number | undefined;
	trial?: 'shorter' | 'larger';
}

interface Window {
	readonly openedAt: number;
	readonly plan: Plan;
	/** Requests that were not refused, and those of them that count as accepted. */
	started: number;
	accepted: number;
	/** As many may be unanswered, or as many as were accepted since the last refusal: slow start. */
	burst: number;
	before: number;
	/** The gateway has refused a request of it. */
	isExhausted: boolean;
}

/** A request in its window. */
export interface WindowRequest {
	readonly window: Window;
	readonly startedAt: number;
	isAccepted: boolean;
}

/**
 * Learns a limit per time: how many requests, in a window of which length. The number is what was
 * accepted before a refusal. The length is what probes of one request find: a Retry-After binds only the request that got it.
 * Trials of shorter and larger windows follow, ever more rarely.
 */
export class WindowLimit {
	private quota = Infinity;
	private lengthMs: number | undefined;
	/** A window of this length was refused. */
	private tooShortMs = 0;
	/** What was known before a trial that is not proven yet. */
	private before: (Plan & { proof: number }) | undefined;
	private current: Window | undefined;
	/** Of the next window. */
	private plan: Plan = { quota: Infinity, lengthMs: undefined };
	private probe: WindowRequest | undefined;
	private probeAt = 0;
	private failedProbes = 0;
	/** Starts of the last requests that were not refused. */
	private log: number[] = [];
	private heldInARow = 0;
	private missedInARow = 0;
	private trialGap = FIRST_TRIAL_GAP;
	private sinceTrial = 0;
	private growth = 0;
	/** Share of the windows that took less than was known, a moving average. */
	missShare = 0;

	/** A refusal has closed it. */
	get isExhausted(): boolean {
		return this.current?.isExhausted ?? false;
	}

	/** The next request is the first of a window. */
	get isClosed(): boolean {
		const { current } = this;
		return !!current && (current.isExhausted || current.started >= current.plan.quota);
	}

	isProbe(request: WindowRequest): boolean {
		return request === this.probe;
	}

	/** When a request may start; `Infinity` while only an answer tells. */
	opensAt(now: number): number {
		const { current } = this;
		if (!current) return now;
		if (this.probe) return Infinity;
		if (this.isClosed) return this.probeAt;
		const { plan, started, accepted, burst, before: stale } = current;
		if (this.heldInARow === 0 && started - accepted >= Math.max(burst, (accepted - stale) / 2))
			return Infinity;
		const before = plan.lengthMs && this.log[this.log.length - plan.quota];
		return before ? before + plan.lengthMs! : now;
	}

	start(now: number): WindowRequest {
		const isProbe = this.isClosed;
		const window = (this.current ??= this.createWindow(now));
		const request: WindowRequest = { window, startedAt: now, isAccepted: false };
		if (isProbe) this.probe = request;
		else this.add(request);
		return request;
	}

	/** A request that is in no window yet: it tests whether the refusal had another reason. */
	startTest(now: number): WindowRequest {
		return { window: this.createWindow(now), startedAt: now, isAccepted: false };
	}

	accept(request: WindowRequest): void {
		if (request.isAccepted) return;
		request.isAccepted = true;
		this.sinceTrial += 1;
		if (request === this.probe) this.open(request);
		else request.window.accepted += 1;
	}

	/** The request was refused as one too many. */
	refuse(request: WindowRequest, now: number): void {
		const { current } = this;
		const wasProbe = request === this.probe;
		if (wasProbe) this.failProbe(request);
		else this.remove(request);
		if (!current || request.window !== current) return;
		if (!current.isExhausted && !wasProbe) {
			current.isExhausted = true;
			this.close(now);
		}
	}

	/** Takes a refused request out, where something else was the reason. */
	ignore(request: WindowRequest): void {
		if (request === this.probe) this.probe = undefined;
		else this.remove(request);
	}

	/** The refusal that closed it had another reason: this request was accepted meanwhile. */
	reopen(test: WindowRequest, burst: number): void {
		const { current } = this;
		if (!current) return;
		current.isExhausted = false;
		this.probe = undefined;
		this.failedProbes = 0;
		this.add({ ...test, window: current });
		current.accepted = current.started;
		current.burst = burst;
		current.before = current.started - 1;
		if (this.isClosed) this.close(test.startedAt);
	}

	private createWindow(openedAt: number): Window {
		const { plan } = this;
		const burst = plan.quota === Infinity ? FIRST_BURST : 1;
		return { openedAt, plan, started: 0, accepted: 0, burst, before: 0, isExhausted: false };
	}

	private add(request: WindowRequest): void {
		const { window, startedAt } = request;
		window.started += 1;
		this.log.push(startedAt);
		while (this.log.length > 1_000 && this.log.length > 2 * this.quota) this.log.shift();
		if (window.started === window.plan.quota) this.close(startedAt);
	}

	private remove({ window, startedAt, isAccepted }: WindowRequest): void {
		window.started -= 1;
		if (isAccepted) window.accepted -= 1;
		const place = this.log.lastIndexOf(startedAt);
		if (place >= 0) this.log.splice(place, 1);
	}

	/** Its quota is out, or the gateway refuses more: what comes next, and when. */
	private close(now: number): void {
		this.failedProbes = 0;
		this.plan = this.createPlan();
		this.probeAt = this.nextProbe(now);
	}

	private createPlan(): Plan {
		const { lengthMs, tooShortMs, current } = this;
		let { quota, growth } = this;
		if (lengthMs === undefined) return { quota: Infinity, lengthMs };
		if (this.isExhausted) return { quota, lengthMs };
		const { trial } = current!.plan;
		// What is under way has not been refused so far.
		if (trial === 'shorter') return { quota, lengthMs: current!.plan.lengthMs };
		if (trial === 'larger') {
			({ quota } = current!.plan);
			growth += 1;
		} else {
			if (this.sinceTrial < Math.max(LEAST_TRIAL_REQUESTS, this.trialGap * quota))
				return { quota, lengthMs };
			if (!growth && lengthMs - tooShortMs > PRECISION * lengthMs)
				return { quota, lengthMs: (lengthMs + tooShortMs) / 2, trial: 'shorter' };
		}
		const more = Math.min(quota, Math.max(1, Math.floor(quota * GROWTH)) * 2 ** growth);
		return { quota: quota + more, lengthMs, trial: 'larger' };
	}

	/** At the length that is planned, then ever later. */
	private nextProbe(now: number): number {
		const { openedAt, started, isExhausted } = this.current!;
		const age = now - openedAt;
		const { lengthMs, quota } = this.plan;
		// A window that took half of the quota may be over after half of its length.
		const shareMs = isExhausted && lengthMs ? (lengthMs * started) / quota : 0;
		if (age < shareMs && shareMs < lengthMs!) return openedAt + shareMs;
		if (shareMs && age < lengthMs! / 2) return openedAt + Math.max(1.5 * age, shareMs);
		if (lengthMs !== undefined && age < lengthMs * 0.99) return openedAt + lengthMs;
		if (lengthMs !== undefined)
			return now + Math.min(LONGEST_PROBE_GAP_MS, lengthMs * GROWTH * 2 ** this.failedProbes);
		const usual = USUAL_LENGTHS_MS.find((ms) => ms > age * 1.2);
		return usual ? openedAt + usual * MARGIN : now + LONGEST_PROBE_GAP_MS;
	}

	private failProbe({ startedAt }: WindowRequest): void {
		this.probe = undefined;
		const { openedAt } = this.current!;
		this.tooShortMs = Math.max(this.tooShortMs, startedAt - openedAt);
		if (this.plan.trial === 'shorter') this.failTrial('shorter');
		else this.failedProbes += 1;
		this.plan = { quota: this.quota, lengthMs: this.lengthMs };
		this.probeAt = this.nextProbe(startedAt);
	}

	/** A probe was accepted: the window before is over, and shows what it held. */
	private open(request: WindowRequest): void {
		const { startedAt } = request;
		const ended = this.current!;
		const age = startedAt - ended.openedAt;
		this.probe = undefined;
		if (this.lengthMs === undefined) {
			// A window that took nothing shows nothing: others have used up the limit.
			if (ended.started) [this.quota, this.lengthMs] = [ended.started, age];
		} else if (ended.isExhausted || this.failedProbes) this.miss(ended, age);
		else this.hold(ended.plan);
		const { quota, lengthMs } = this;
		if (!this.plan.trial) this.plan = { quota, lengthMs };
		this.current = this.createWindow(startedAt);
		this.current.accepted = 1;
		this.add({ ...request, window: this.current });
	}

	/** Requests per millisecond, when they are known. */
	get rate(): number | undefined {
		return this.lengthMs === undefined ? undefined : this.quota / this.lengthMs;
	}

	/** Goes on with what is known, after requests that it has not seen. */
	restart(): void {
		const { quota, lengthMs } = this;
		this.plan = { quota, lengthMs };
		this.current = this.probe = undefined;
		this.log = [];
		this.missShare = this.heldInARow = 0;
	}

	private forget(): void {
		this.quota = Infinity;
		this.lengthMs = undefined;
		this.tooShortMs = 0;
		this.before = undefined;
	}

	private hold({ quota, lengthMs, trial }: Plan): void {
		this.missShare *= 1 - SMOOTHING;
		this.heldInARow += 1;
		this.missedInARow = 0;
		const { before } = this;
		if (before && this.heldInARow >= before.proof) {
			this.before = undefined;
			this.trialGap = FIRST_TRIAL_GAP;
		}
		if (!trial) return;
		// Where the clock sets the windows, a shorter one holds by chance until it has drifted through one of them.
		const proof =
			trial === 'larger' ? PROOF : Math.ceil(this.lengthMs! / (this.lengthMs! - lengthMs!)) + 1;
		this.before = { ...{ quota: this.quota, lengthMs: this.lengthMs!, trial }, ...before, proof };
		this.heldInARow = 1;
		[this.quota, this.lengthMs] = [quota, lengthMs];
		if (trial === 'larger') this.growth += 1;
		this.sinceTrial = Infinity;
	}

	/** The window took less, or was longer, than was known. */
	private miss(ended: Window, age: number): void {
		const { trial, lengthMs } = ended.plan;
		this.heldInARow = 0;
		if (trial) {
			if (trial === 'shorter') this.tooShortMs = Math.max(this.tooShortMs, lengthMs!);
			this.failTrial(trial);
			return;
		}
		this.missShare += SMOOTHING * (1 - this.missShare);
		this.missedInARow += 1;
		if (this.before) {
			if (this.before.trial === 'shorter')
				this.tooShortMs = Math.max(this.tooShortMs, this.lengthMs!);
			({ quota: this.quota, lengthMs: this.lengthMs } = this.before);
			this.failTrial(this.before.trial);
			this.before = undefined;
			return;
		}
		// Once is chance, or the window began at another time than the gateway's.
		if (this.missedInARow === 1) return;
		if (!ended.started) return this.forget();
		if (!ended.isExhausted) {
			this.lengthMs = Math.max(this.lengthMs!, age);
			return;
		}
		this.lengthMs = age;
		this.quota = ended.started;
		this.tooShortMs = 0;
		this.sinceTrial = Infinity;
	}

	private failTrial(trial: Plan['trial']): void {
		if (trial === 'larger') {
			this.growth = 0;
			this.tooShortMs *= FORGET;
		}
		this.sinceTrial = 0;
		this.trialGap = Math.min(LONGEST_TRIAL_GAP, Math.max(FIRST_TRIAL_GAP, this.trialGap * 2));
	}
}
