import { FIRST_BURST } from './limit';
import { createWindow, LONGEST_PROBE_GAP_MS, nextProbe, type Window } from './window';
import { PROOF, WindowTrials, type Plan } from './windowTrials';

/** So many clients at most begin with a burst each. With 5, 200 rows of five runs have 11 % refused, not 9 %. */
const MOST_FIRST_BURSTS = 4;
/**
 * A third of the accepted ones may be unanswered; in the first window, three at least. With a quarter, a rough
 * network has 7 % refused, not 5 %.
 */
const SHARE = 3;
/** A longer first length has to be seen twice. The probe at a minute comes after 61.2 s. */
const LONGEST_FIRST_MS = 62_000;

export interface WindowRequest {
	readonly startedAt: number;
	isAccepted: boolean;
	/** Undefined where it does not count. */
	window?: Window;
}

/**
 * Learns a limit per time. The quota is what a window took before a refusal. Single requests, the probes,
 * find its length. Trials of other windows follow.
 */
export class WindowLimit {
	private known: Plan = { quota: Infinity };
	private readonly trials = new WindowTrials();
	/** The last length given to `learn`, also where a shorter one counted. */
	private seenMs = 0;
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

	/**
	 * The refusal that has closed the window may have come by chance, so that a test is worth its cost. Without
	 * the case of a known length, 10 % random refusals may lower the quota to one request a second for minutes.
	 */
	isDoubtful(now: number): boolean {
		if (!this.isExhausted) return false;
		const { quota, lengthMs } = this.known;
		if (lengthMs === undefined) return true;
		// Once time has passed, a test shows nothing.
		return now < this.probeAt && this.missed > 0 && this.current!.started * 2 <= quota;
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
		return this.trials.current ?? this.known;
	}

	/** The next request is the first of a window. */
	get isClosed(): boolean {
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
		const { current } = this;
		if (!current || request.window !== current || current.isExhausted) return false;
		current.isExhausted = true;
		current.isTrial = this.trials.fail();
		this.close(now);
		return !current.isTrial;
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
		this.current = this.probe = this.trials.current = undefined;
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
		// A quota is not used up before both are known.
		if (!this.isExhausted) this.trials.start(this.known as Required<Plan>);
		this.probeAt = nextProbe(this.current!, this.plan.lengthMs, now);
	}

	private failProbe({ startedAt }: WindowRequest): void {
		const current = this.current!;
		this.probe = undefined;
		const since = this.known.lengthMs === undefined ? current.closedAt : current.openedAt;
		if (!this.trials.failProbe(startedAt - since)) current.failedProbes += 1;
		this.probeAt = nextProbe(current, this.plan.lengthMs, startedAt);
	}

	/** A probe was accepted, so the window before is over. */
	private open(request: WindowRequest): void {
		const { openedAt, closedAt, started, failedProbes, isExhausted, isTrial } = this.current!;
		const { quota, lengthMs } = this.known;
		this.probe = undefined;
		if (lengthMs === undefined) {
			// Others have used up the limit.
			if (started) this.learn({ quota: started, lengthMs: request.startedAt - closedAt });
		} else if (!isTrial && (started < quota || failedProbes)) {
			this.miss({ quota: started, lengthMs: request.startedAt - openedAt });
		} else if (!isExhausted) this.hold();
		this.current = createWindow(request.startedAt, this.plan.quota);
		this.current.accepted = 1;
		this.add(request, this.current);
	}

	/** A window took less than was known, or was over later. Once is luck. */
	private miss(seen: Required<Plan>): void {
		const isLuck = seen.quota < this.known.quota ? this.missed === 0 : this.held >= PROOF;
		this.held = 0;
		this.missed += 1;
		if (seen.quota && !isLuck) this.learn(seen);
	}

	/**
	 * Other processes can make a window seem to end late. So a length that is longer than 5 s for each request,
	 * and than what was known, counts only where the last one was about the same. Without, four processes under
	 * 20 in 2 s take six times the least, not twice.
	 */
	private learn({ quota, lengthMs }: Required<Plan>): void {
		const isConfirmed = Math.abs(lengthMs - this.seenMs) < lengthMs / 10;
		const knownMs = this.known.lengthMs ?? LONGEST_FIRST_MS;
		const longestMs = isConfirmed ? Infinity : Math.max(knownMs, quota * LONGEST_PROBE_GAP_MS);
		if (lengthMs > longestMs) this.trials.forgetProbes();
		this.seenMs = lengthMs;
		this.known = { quota, lengthMs: Math.min(lengthMs, longestMs) };
	}

	/** A window took what was planned. */
	private hold(): void {
		this.held += 1;
		if (this.held >= PROOF) this.missed = 0;
		this.known = this.trials.hold() ?? this.known;
	}
}
