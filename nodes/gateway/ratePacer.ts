import { RateEstimate } from './rateEstimate';
import { createWindow, isRampOpen, UNLIMITED, type PacedCall, type RateWindow } from './rateWindow';

const SHORTEST_DELAY_MS = 40;
/** How often in a row a gateway may name a time, or a short one, and refuse again before it is not believed. */
const MOST_TIMES = 2;
const MOST_SHORT_TIMES = 10;
const SHORT_TIME_MS = 400;
/** How much too late a time may be that a gateway names in whole seconds. */
const WHOLE_SECOND_MS = 1_000;
/** After a first window of this length probes count from its end. */
const LONG_WINDOW_MS = 10_000;
/** A gateway that has begun to refuse is probed at once after so long, whatever came before. */
const SOON_MS = 1_500;

/**
 * Paces the requests of a gateway that limits how many it takes per time, and may not say how. They go
 * out in windows: as many as the last one had accepted, then a delay, then one as a probe. See
 * docs/decisions.
 */
export class RatePacer {
	private phase: 'unlimited' | 'open' | 'closed' | 'probing' = 'unlimited';
	private current: RateWindow | undefined;
	private previous: RateWindow | undefined;
	private estimate = new RateEstimate();
	/** The quota held in a whole window, so the next one goes out at once. */
	private isTrusted = false;
	/** The last window took less than its quota, so its length is known from the rate. */
	private isPartial = false;
	private closedUntil = 0;
	/** When the gateway began to refuse, the last time, and how many it has accepted since. */
	private exhaustedAt: number | undefined;
	private acceptedSince = 0;
	/** When it began to refuse since it accepted one. */
	private refusedSince: number | undefined;
	/** The gateway has named the time of the next probe. */
	private isTimeNamed = false;
	/** How often in a row the time it named was wrong. */
	private wrongTimes = 0;

	/** `credit` requests go out before the first of them is accepted, then as many as were. */
	constructor(private readonly credit = Infinity) {}

	/** A pacer that has learnt the same. */
	copy(): RatePacer {
		const estimate = this.estimate.copy();
		return Object.assign(new RatePacer(this.credit), this, { estimate });
	}

	/** Goes on, with so many at first if given, after this request was accepted outside of all windows. */
	restart({ startedAt }: PacedCall, credit?: number): void {
		const window = this.current;
		if (!window) return;
		if (this.phase === 'probing') {
			[this.phase, this.closedUntil] = ['closed', startedAt];
			this.current = undefined;
			return;
		}
		window.starts.push(startedAt);
		window.confirmed += 1;
		this.acceptedSince += 1;
		if (this.phase === 'unlimited' && credit !== undefined)
			Object.assign(window, { credit, confirmedBefore: window.confirmed - 1 });
	}

	/** Lets out all that come, as long as none is refused. */
	endRamp(): void {
		if (this.phase === 'unlimited' && this.current) this.current.credit = Infinity;
	}

	/** The last request it heard of was refused. */
	get isClosed(): boolean {
		return this.phase === 'closed' || this.phase === 'probing';
	}

	/** A single request is out, to find out whether a window is over. */
	get isProbing(): boolean {
		return this.phase === 'probing';
	}

	/** Whether another request may begin now. */
	mayStart(now: number): boolean {
		if (this.phase === 'closed') return now >= this.closedUntil;
		if (this.phase === 'probing') return false;
		if (!this.current) return true;
		if (this.phase === 'unlimited') return isRampOpen(this.current);
		return now >= this.nextStart && (this.isTrusted || isRampOpen(this.current));
	}

	/** When a request may begin that may not begin now; undefined when only an answer tells. */
	opensAt(now: number): number | undefined {
		if (this.phase === 'closed') return Math.max(now, this.closedUntil);
		return this.phase === 'open' && this.nextStart > now ? this.nextStart : undefined;
	}

	start(now: number): PacedCall {
		if (this.phase === 'closed') {
			this.phase = 'probing';
			this.current = createWindow(now, this.estimate.plan, 1);
		}
		this.current ??= createWindow(now, UNLIMITED, this.credit);
		const window = this.current;
		window.starts.push(now);
		if (this.phase === 'open' && window.starts.length >= window.plan.quota) this.complete(now);
		return { window, startedAt: now, isConfirmed: false };
	}

	/** A request outside of all windows. */
	startTrial(now: number): PacedCall {
		const window = { ...createWindow(now, UNLIMITED, 1), starts: [now] };
		return { window, startedAt: now, isConfirmed: false };
	}

	/** The request was answered otherwise than by a refusal, or has been out for long enough. */
	accept(request: PacedCall, now: number): void {
		if (request.isConfirmed) return;
		request.isConfirmed = true;
		request.window.confirmed += 1;
		this.acceptedSince += 1;
		if (this.phase === 'probing' && request.window === this.current) this.open(now);
	}

	/** Takes a refused request out of its window: something else than the rate was the reason. */
	ignore(request: PacedCall, now: number): void {
		this.remove(request);
		if (this.phase !== 'probing' || request.window !== this.current) return;
		[this.phase, this.closedUntil] = ['closed', now];
		this.current = undefined;
	}

	private remove({ window, startedAt, isConfirmed }: PacedCall): void {
		window.starts.splice(window.starts.indexOf(startedAt), 1);
		if (!isConfirmed) return;
		window.confirmed -= 1;
		this.acceptedSince -= 1;
	}

	/** The request was refused as one too many; `retryAfterMs` where the gateway says when to come again. */
	refuse(request: PacedCall, now: number, retryAfterMs?: number): void {
		const { window } = request;
		this.remove(request);
		this.undoOpening(window);
		if (this.phase === 'probing' && window === this.current) this.failProbe(now);
		else if (this.isLast(window)) this.exhaust(window, now);
		if (retryAfterMs && this.phase === 'closed') this.obey(window, now, retryAfterMs);
	}

	/** No other window has begun after it. */
	private isLast(window: RateWindow): boolean {
		return window === (this.phase === 'closed' ? this.previous : this.current);
	}

	/** The refusal of a probe came later than refusals did before. */
	private undoOpening(window: RateWindow): void {
		if (!this.isLast(window) || window.starts.length || !window.unopened) return;
		[this.phase, this.current] = ['probing', window];
		({ estimate: this.estimate, previous: this.previous } = window.unopened);
	}

	/** No request begins sooner after its like in the window before than the windows do. */
	private get nextStart(): number {
		const { plan, starts } = this.current!;
		const like = this.previous?.starts[starts.length];
		return plan.lengthMs === undefined || like === undefined ? 0 : like + plan.lengthMs;
	}

	private ageOf(window: RateWindow): number {
		return Math.min(window.openedAt, this.closedUntil) - this.previous!.openedAt;
	}

	private open(now: number): void {
		const window = this.current!;
		window.unopened = { estimate: this.estimate.copy(), previous: this.previous! };
		// Windows must not hold on to all that came before.
		delete this.previous!.unopened;
		this.estimate.open(window.plan, this.ageOf(window));
		this.phase = 'open';
		this.refusedSince = undefined;
		if (this.isTimeNamed) this.wrongTimes = 0;
		if (window.starts.length >= window.plan.quota) this.complete(now);
	}

	/** The whole quota is out. */
	private complete(now: number): void {
		const { plan, openedAt } = this.current!;
		this.remember(this.current!);
		// A window that took longer than it lasts shows nothing.
		if (plan.lengthMs === undefined || now - openedAt <= plan.lengthMs) {
			this.estimate.hold(plan);
			this.isTrusted = true;
		}
		this.close(now);
	}

	private remember(window: RateWindow): void {
		const { estimate, exhaustedAt, acceptedSince } = this;
		const acceptedBefore = acceptedSince - window.confirmed;
		window.known ??= { estimate: estimate.copy(), exhaustedAt, acceptedBefore };
	}

	/** Nothing more goes out before the next probe. */
	private close(now: number): void {
		this.previous = this.current ?? this.previous!;
		this.phase = 'closed';
		this.isTimeNamed = false;
		const { lengthMs } = this.estimate.plan;
		this.closedUntil =
			lengthMs === undefined
				? this.nextProbe(now)
				: Math.max(now, this.previous.openedAt + lengthMs);
	}

	private nextProbe(now: number): number {
		const { openedAt } = this.previous!;
		const age = now - openedAt;
		let next = openedAt + this.estimate.next(age);
		if (this.estimate.plan.lengthMs === undefined) {
			const since = this.refusedSince ?? now;
			const soon = since + this.estimate.next(now - since);
			if (since - openedAt > LONG_WINDOW_MS) next = soon;
			else if (now - since < SOON_MS) next = Math.min(next, soon);
		}
		return Math.max(now + SHORTEST_DELAY_MS, next);
	}

	/** The gateway accepts no more of this window. */
	private exhaust(window: RateWindow, now: number): void {
		this.remember(window);
		const { estimate, exhaustedAt, acceptedBefore } = window.known!;
		const accepted = Math.max(1, window.starts.length);
		const perMs =
			exhaustedAt === undefined
				? undefined
				: Math.max(accepted, acceptedBefore + accepted) / Math.max(1, now - exhaustedAt);
		this.estimate = estimate.copy();
		this.isTrusted = perMs !== undefined && accepted >= estimate.quota;
		this.isPartial = perMs !== undefined && accepted < estimate.quota;
		this.estimate.exhaust(window.plan, accepted, perMs);
		this.exhaustedAt = this.refusedSince = now;
		this.acceptedSince = window.confirmed - window.starts.length;
		this.close(now);
	}

	private failProbe(now: number): void {
		const window = this.current!;
		this.phase = 'closed';
		this.isPartial = false;
		this.current = undefined;
		this.previous ??= createWindow(window.openedAt, UNLIMITED, 1);
		this.estimate.openedEarly(window.plan, this.ageOf(window));
		if (this.isTimeNamed) {
			this.wrongTimes += 1;
			if (this.wrongTimes >= MOST_TIMES) this.estimate.forgetName();
		}
		this.isTimeNamed = false;
		[this.exhaustedAt, this.acceptedSince] = [now, 0];
		this.refusedSince ??= now;
		this.closedUntil = this.nextProbe(now);
	}

	/** The gateway names the time: that is the end of the window. */
	private obey({ plan }: RateWindow, now: number, retryAfterMs: number): void {
		const namedAt = now + retryAfterMs;
		// Where it names the wrong time again and again it is probed ever more rarely.
		const isWrong =
			this.wrongTimes >= (retryAfterMs < SHORT_TIME_MS ? MOST_SHORT_TIMES : MOST_TIMES);
		const isKnown = isWrong || this.estimate.plan.lengthMs !== undefined;
		this.closedUntil = Math.max(namedAt, isKnown ? this.closedUntil : 0);
		this.isTimeNamed = this.closedUntil === namedAt;
		if (isWrong || plan.trial || this.isPartial) return;
		const roundedMs = retryAfterMs % WHOLE_SECOND_MS === 0 ? WHOLE_SECOND_MS : 0;
		this.estimate.name(this.closedUntil - this.previous!.openedAt, roundedMs);
	}
}
