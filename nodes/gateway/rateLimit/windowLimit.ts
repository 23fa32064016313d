import { FIRST_BURST } from './limit';
import { STEP, WindowEstimate, type Plan } from './windowEstimate';

/** Lengths that limits are stated in. With doubling lengths, another client costs twice the time of AIMD instead of 1.45 times. */
const USUAL_LENGTHS_MS = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 60_000];
/** A probe comes a little later, because the window began a little later than its first request. With 1, a limit that rises is found late. */
const MARGIN = 1.02;
/** With 60 s, another client costs twice the time of AIMD. */
const LONGEST_PROBE_GAP_MS = 20_000;

interface Window {
	readonly openedAt: number;
	readonly plan: Plan;
	/** Requests that were not refused, and those of them that count as accepted. */
	started: number;
	accepted: number;
	/** As many may be unanswered, or half as many as were accepted: slow start. */
	burst: number;
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
 * Keeps a limit per time. The number is what was accepted before a refusal. The length is what probes of
 * one request find: a Retry-After binds only the request that got it.
 */
export class WindowLimit {
	readonly estimate = new WindowEstimate();
	private current: Window | undefined;
	/** Of the next window. */
	private plan = this.estimate.plan;
	private probe: WindowRequest | undefined;
	private probeAt = 0;
	private failedProbes = 0;
	/** Starts of the last requests that were not refused. */
	private log: number[] = [];

	/** A refusal has closed it. */
	get isExhausted(): boolean {
		return this.current?.isExhausted ?? false;
	}

	/** The next request is the first of a window. */
	private get isClosed(): boolean {
		const { current } = this;
		return !!current && (current.isExhausted || current.started >= current.plan.quota);
	}

	/** When a request may start; `Infinity` while only an answer tells. */
	opensAt(now: number): number {
		const { current } = this;
		if (!current) return now;
		if (this.probe) return Infinity;
		if (this.isClosed) return this.probeAt;
		const { plan, started, accepted, burst } = current;
		const mostUnanswered = Math.max(burst, accepted / 2);
		if (!this.estimate.held && started - accepted >= mostUnanswered) return Infinity;
		const last = plan.lengthMs && this.log[this.log.length - plan.quota];
		return last ? last + plan.lengthMs! : now;
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
		request.isAccepted = true;
		this.estimate.accept();
		if (request === this.probe) this.open(request);
		else request.window.accepted += 1;
	}

	/** The request was refused as one too many. */
	refuse(request: WindowRequest, now: number): void {
		if (request === this.probe) return this.failProbe(request);
		this.remove(request);
		const { current } = this;
		if (request.window !== current || current.isExhausted) return;
		current.isExhausted = true;
		this.close(now);
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
		this.add({ ...test, window: current });
		current.accepted = current.started;
		current.burst = burst;
		if (this.isClosed) this.close(test.startedAt);
	}

	/** Goes on with what is known, after requests that it has not seen. */
	restart(): void {
		this.estimate.restart();
		this.plan = this.estimate.plan;
		this.current = this.probe = undefined;
		this.log = [];
	}

	private createWindow(openedAt: number): Window {
		const { plan } = this;
		const burst = plan.quota === Infinity ? FIRST_BURST : 1;
		return { openedAt, plan, started: 0, accepted: 0, burst, isExhausted: false };
	}

	private add(request: WindowRequest): void {
		const { window, startedAt } = request;
		window.started += 1;
		this.log.push(startedAt);
		while (this.log.length > 1_000 && this.log.length > 2 * this.estimate.quota) this.log.shift();
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
		const { estimate, current } = this;
		this.failedProbes = 0;
		this.plan = this.isExhausted ? estimate.plan : estimate.planAfter(current!.plan);
		this.probeAt = this.nextProbe(now);
	}

	/** At the length that is planned, then ever later. */
	private nextProbe(now: number): number {
		const { openedAt, started, isExhausted } = this.current!;
		const { lengthMs, quota } = this.plan;
		const age = now - openedAt;
		if (lengthMs === undefined) {
			const usual = USUAL_LENGTHS_MS.find((ms) => ms > age);
			return usual ? openedAt + usual * MARGIN : now + LONGEST_PROBE_GAP_MS;
		}
		// A window that took half of the quota may be over after half of its length.
		const shareMs = isExhausted ? (lengthMs * started) / quota : 0;
		if (age < shareMs && shareMs < lengthMs) return openedAt + shareMs;
		if (age < lengthMs) return openedAt + lengthMs;
		return now + Math.min(LONGEST_PROBE_GAP_MS, lengthMs * STEP * 2 ** this.failedProbes);
	}

	private failProbe({ startedAt }: WindowRequest): void {
		this.probe = undefined;
		this.estimate.rejectLength(startedAt - this.current!.openedAt);
		if (this.plan.trial === 'shorter') this.estimate.failTrial(this.plan);
		else this.failedProbes += 1;
		this.plan = this.estimate.plan;
		this.probeAt = this.nextProbe(startedAt);
	}

	/** A probe was accepted: the window before is over, and shows what it held. */
	private open(request: WindowRequest): void {
		const { estimate, current } = this;
		const { openedAt, plan, started, isExhausted } = current!;
		const ageMs = request.startedAt - openedAt;
		this.probe = undefined;
		if (estimate.lengthMs === undefined) {
			// A window that took nothing shows nothing: others have used up the limit.
			if (started) estimate.learn(started, ageMs);
		} else if (isExhausted || this.failedProbes) estimate.miss(plan, started, ageMs);
		else estimate.hold(plan);
		if (!this.plan.trial) this.plan = estimate.plan;
		this.current = this.createWindow(request.startedAt);
		this.current.accepted = 1;
		this.add({ ...request, window: this.current });
	}
}
