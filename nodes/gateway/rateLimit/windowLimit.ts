import { Backoff, FIRST_BURST } from './limit';

/** Usual lengths of limits. Without 40 s, another client costs 1.88 times AIMD, not 1.4. */
const USUAL_LENGTHS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 60_000];
/** A window began a little later than its first request. With 1, p50 on a rough network is 1.08, not 1.04. */
const MARGIN = 1.02;
/** With 20 s, another client costs 2.4 times AIMD. */
const LONGEST_PROBE_GAP_MS = 5_000;
/** A step of a trial, as a share. With 0.1, p90 of 200 rows is 1.3, not 1.1. */
const STEP = 0.05;
/** So many clients at most begin with a burst each. With 5, 200 rows of five runs have 11 % refused, not 9 %. */
const MOST_FIRST_BURSTS = 4;
/** So many windows in a row prove something. With 5, 35 % random refusals take up to 1.7 times AIMD, not 1.4. */
const PROOF = 3;
/**
 * A third of the accepted ones may be unanswered; in the first window, three at least. With a quarter, a rough
 * network has 7 % refused, not 5 %.
 */
const SHARE = 3;
/** The first trial comes after so many windows. With 3, 1,500 rows have 2 % refused, not 1.3 %. */
const FIRST_TRIAL_GAP = 4;

/** So many requests in each window. Its length is undefined until it is known. */
interface Plan {
	quota: number;
	lengthMs?: number;
}

/** A plan that would be faster. It must still hold for `left` windows. */
type Trial = Plan & { isLarger: boolean; left: number };

type Window = ReturnType<typeof createWindow>;

const createWindow = (openedAt: number, quota: number) => ({
	openedAt,
	quota,
	closedAt: Infinity,
	/** Requests that were not refused, and those of them that count as accepted. */
	started: 0,
	accepted: 0,
	/** A request was refused. */
	isExhausted: false,
	isTrial: false,
	failedProbes: 0,
});

export interface WindowRequest {
	readonly startedAt: number;
	isAccepted: boolean;
	/** Undefined where it does not count. */
	window?: Window;
}

/**
 * Learns a limit per time. The quota is what a window took before a refusal. Single requests, the probes,
 * find its length. Trials of shorter and of larger windows follow, ever more rarely.
 */
export class WindowLimit {
	private known: Plan = { quota: Infinity };
	private trial: Trial | undefined;
	private readonly trials = new Backoff(FIRST_TRIAL_GAP);
	/** The next trial adds so many steps. */
	private growth = 1;
	private isLargerNext = false;
	/** Such a window was not over. */
	private tooShortMs = 0;
	/** Windows in a row that took their quota, and that took less. */
	private held = 0;
	private missed = 0;
	private current: Window | undefined;
	private probe: WindowRequest | undefined;
	private probeAt = 0;
	/** Of the last requests that were not refused. */
	private log: number[] = [];

	get isExhausted(): boolean {
		return this.current?.isExhausted ?? false;
	}

	/** Windows keep taking less than was known. */
	get isUseless(): boolean {
		return this.missed >= PROOF;
	}

	/** Requests per millisecond. Undefined: not known. */
	get rate(): number | undefined {
		return this.known.lengthMs && this.known.quota / this.known.lengthMs;
	}

	private get plan(): Plan {
		return this.trial ?? this.known;
	}

	/** The next request is the first of a window. */
	private get isClosed(): boolean {
		const { current } = this;
		return !!current && (current.isExhausted || current.started >= current.quota);
	}

	/** Slow start. */
	private mostUnanswered(clients: number): number {
		const { accepted, quota } = this.current!;
		const isFirst = quota === Infinity;
		if (isFirst && !accepted) return FIRST_BURST * Math.min(clients, MOST_FIRST_BURSTS);
		return Math.max(isFirst ? SHARE : 1, accepted / SHARE);
	}

	/** `Infinity`: only an answer tells. */
	opensAt(now: number, clients = 1): number {
		const { current } = this;
		if (!current) return now;
		if (this.probe) return Infinity;
		if (this.isClosed) return this.probeAt;
		const { quota, started, accepted } = current;
		if (!this.held && started - accepted >= this.mostUnanswered(clients)) return Infinity;
		const { lengthMs } = this.plan;
		const last = lengthMs && this.log[this.log.length - quota];
		return last ? last + lengthMs : now;
	}

	start(request: WindowRequest, isAfterIdle: boolean): void {
		const { startedAt } = request;
		const { quota, lengthMs = Infinity } = this.plan;
		const isOver = !!this.current && startedAt >= this.current.openedAt + lengthMs;
		if (isAfterIdle && isOver && !this.isClosed) this.current = undefined;
		const window = (this.current ??= createWindow(startedAt, quota));
		request.window = window;
		if (!this.isClosed) return this.add(request, window);
		this.probe = request;
		// Time in which nobody asked tells nothing.
		window.openedAt += startedAt - this.probeAt;
		window.closedAt += startedAt - this.probeAt;
	}

	accept(request: WindowRequest): void {
		if (request === this.probe) this.open(request);
		else if (request.window) request.window.accepted += 1;
	}

	/** A request was refused. Returns whether that was not expected: it closed the window, and was no trial. */
	refuse(request: WindowRequest, now: number): boolean {
		if (request === this.probe) {
			this.failProbe(request);
			return false;
		}
		this.ignore(request);
		const { current, trial } = this;
		if (!current || request.window !== current || current.isExhausted) return false;
		current.isExhausted = true;
		current.isTrial = !!trial;
		this.failTrial();
		this.close(now);
		return !trial;
	}

	/** Takes a refused request out. */
	ignore(request: WindowRequest): void {
		if (request === this.probe) return void (this.probe = undefined);
		const { window, startedAt, isAccepted } = request;
		window!.started -= 1;
		if (isAccepted) window!.accepted -= 1;
		const place = this.log.lastIndexOf(startedAt);
		if (place >= 0) this.log.splice(place, 1);
	}

	/** The refusal had another reason: this request was accepted. */
	reopen(request: WindowRequest): void {
		const window = this.current!;
		window.isExhausted = false;
		this.probe = undefined;
		this.add(request, window);
		window.accepted = window.started;
	}

	/** Continues with what is known, after requests that it has not seen. */
	restart(): void {
		this.missed = this.held = 0;
		this.current = this.probe = this.trial = undefined;
		this.log = [];
	}

	private add(request: WindowRequest, window: Window): void {
		request.window = window;
		window.started += 1;
		this.log.push(request.startedAt);
		while (this.log.length > 1_000 && this.log.length > 2 * this.known.quota) this.log.shift();
		if (window.started >= window.quota) this.close(request.startedAt);
	}

	/** The quota is used up, or a request was refused. */
	private close(now: number): void {
		this.current!.closedAt = now;
		if (!this.isExhausted && this.trials.isDue) this.trial ??= this.createTrial();
		this.probeAt = this.nextProbe(now);
	}

	private createTrial(): Trial {
		// A quota is not used up before both are known.
		const { quota, lengthMs } = this.known as Required<Plan>;
		this.trials.delay();
		const lessMs = (lengthMs - this.tooShortMs) / 2;
		// With one step, 1,500 rows have 4 % refused, not 2 %.
		if (!this.isLargerNext && lessMs > 3 * STEP * lengthMs) {
			// In windows of a clock, a shorter one holds by luck until it has drifted through one of them.
			const left = Math.ceil(lengthMs / lessMs) + 1;
			return { quota, lengthMs: lengthMs - lessMs, isLarger: false, left };
		}
		const more = Math.min(quota, Math.max(1, Math.floor(quota * STEP)) * this.growth);
		return { quota: quota + more, lengthMs, isLarger: true, left: this.growth > 1 ? 1 : PROOF };
	}

	private failTrial(): void {
		if (this.trial) this.isLargerNext = !this.trial.isLarger;
		this.trial = undefined;
		this.growth = 1;
	}

	/**
	 * At the planned length, then ever later, and at each usual length. An unknown length counts from the
	 * refusal: the first request may have been the last of the window before.
	 */
	private nextProbe(now: number): number {
		const { openedAt, closedAt, failedProbes } = this.current!;
		const { lengthMs } = this.plan;
		const from = lengthMs === undefined ? closedAt : openedAt;
		const usual = USUAL_LENGTHS_MS.map((ms) => from + ms * MARGIN).find((at) => at > now);
		if (lengthMs === undefined) return usual ?? now + LONGEST_PROBE_GAP_MS;
		if (now < openedAt + lengthMs) return openedAt + lengthMs;
		const gapMs = Math.min(LONGEST_PROBE_GAP_MS, lengthMs * STEP * 2 ** failedProbes);
		return Math.min(now + gapMs, usual ?? Infinity);
	}

	private failProbe({ startedAt }: WindowRequest): void {
		const current = this.current!;
		this.probe = undefined;
		const since = this.known.lengthMs === undefined ? current.closedAt : current.openedAt;
		this.tooShortMs = Math.max(this.tooShortMs, startedAt - since);
		if (this.trial) this.failTrial();
		else current.failedProbes += 1;
		this.probeAt = this.nextProbe(startedAt);
	}

	/** A probe was accepted, so the window before is over. */
	private open(request: WindowRequest): void {
		const { openedAt, closedAt, started, failedProbes, isExhausted, isTrial } = this.current!;
		const { quota, lengthMs } = this.known;
		this.probe = undefined;
		if (lengthMs === undefined) {
			// Others have used up the limit.
			if (started) this.known = { quota: started, lengthMs: request.startedAt - closedAt };
		} else if (!isTrial && (started < quota || failedProbes)) {
			this.miss({ quota: started, lengthMs: request.startedAt - openedAt });
		} else if (!isExhausted) this.hold();
		this.current = createWindow(request.startedAt, this.plan.quota);
		this.current.accepted = 1;
		this.add(request, this.current);
	}

	/** A window took less than was known, or was over later. Once is luck. */
	private miss(seen: Plan): void {
		const isLuck = seen.quota < this.known.quota ? this.missed === 0 : this.held >= PROOF;
		this.held = 0;
		this.missed += 1;
		if (seen.quota && !isLuck) this.known = seen;
	}

	/** A window took what was planned. */
	private hold(): void {
		const { trial } = this;
		this.held += 1;
		if (this.held >= PROOF) this.missed = 0;
		this.trials.accept();
		if (!trial || (trial.left -= 1) > 0) return;
		this.known = { quota: trial.quota, lengthMs: trial.lengthMs };
		this.trial = undefined;
		this.isLargerNext = true;
		if (trial.isLarger) this.growth *= 2;
		this.trials.reset();
	}
}
