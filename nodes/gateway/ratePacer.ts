/** The calls that go out between two pauses. All times in Unix milliseconds. */
interface Window {
	openedAt: number;
	started: number;
	confirmed: number;
	refused: number;
}

/** One call that was let out; what becomes of it counts for the window it began in. */
export interface PacedCall {
	readonly window: Window;
	isConfirmed: boolean;
}

/** Milliseconds after which a call that was not refused counts as accepted: refusals come at once. */
export const CONFIRM_MS = 150;
const FIRST_PROBE_MS = 400;
const LONGEST_PROBE_MS = 20_000;
const SHORTEST_PROBE_MS = 40;
/** How often in a row a gateway may name a short time and refuse again before it is not believed. */
const BELIEVED_PROBES = 10;
/** The length of a window is known well enough when its bounds are this close together. */
const PRECISION = 0.04;
/** Share of a known length that is waited more after a probe came too early. */
const STEP = 0.1;
/** How often more than the learnt quota is tried, in windows, and by what share. */
const GROWTH_WINDOWS = 6;
const GROWTH = 0.05;

/**
 * Finds the pace of a gateway that limits calls per time and may not say how. Until the first refusal
 * everything goes out at once. From then on calls go out in windows: as many as the last one had
 * accepted, then a pause, then one call as a probe. A probe that is accepted bounds the length of a
 * window from above, a probe that is refused bounds it from below, so the pauses close in on it.
 */
export class RatePacer {
	private phase: 'unlimited' | 'open' | 'closed' | 'probing' = 'unlimited';
	private current: Window | undefined;
	private previous: Window | undefined;
	private quota = 1;
	/** The quota held in a whole window, so the next one goes out at once. */
	private isTrusted = false;
	private closedUntil = 0;
	private shortestMs = 0;
	private longestMs: number | undefined;
	/** A whole window has been seen, so probes need no longer double. */
	private hasMeasured = false;
	private failedProbes = 0;
	private windowsSinceGrowth = 0;

	get hasBeenRefused(): boolean {
		return this.phase !== 'unlimited';
	}

	/** Whether another call may begin now. */
	mayStart(now: number): boolean {
		if (this.phase === 'closed') return now >= this.closedUntil;
		if (this.phase === 'probing') return false;
		if (this.phase === 'unlimited' || this.isTrusted) return true;
		const { started, confirmed } = this.current!;
		return started - confirmed < Math.max(1, confirmed);
	}

	/** When a call may begin that may not begin now; undefined when only an answer tells. */
	opensAt(now: number): number | undefined {
		return this.phase === 'closed' ? Math.max(now, this.closedUntil) : undefined;
	}

	start(now: number): PacedCall {
		if (this.phase === 'closed') {
			this.phase = 'probing';
			this.current = undefined;
		}
		this.current ??= { openedAt: now, started: 0, confirmed: 0, refused: 0 };
		this.current.started += 1;
		if (this.phase === 'open' && this.current.started >= this.quota) {
			this.isTrusted = true;
			this.close(now);
		}
		return { window: this.current, isConfirmed: false };
	}

	/** The call was answered otherwise than by a refusal, or has been out for CONFIRM_MS. */
	accept(request: PacedCall, now: number): void {
		if (request.isConfirmed) return;
		request.isConfirmed = true;
		request.window.confirmed += 1;
		if (this.phase === 'probing' && request.window === this.current) this.open(now);
	}

	/** The call was refused as one too many; `retryAfterMs` where the gateway says when to come again. */
	refuse(request: PacedCall, now: number, retryAfterMs?: number): void {
		const { window } = request;
		window.refused += 1;
		if (request.isConfirmed) window.confirmed -= 1;
		if (this.phase === 'probing' && window === this.current) this.failProbe(now);
		else if (window === this.current) this.learnQuota(window, now);
		else if (window === this.previous && this.phase === 'closed') this.learnQuota(window, now);
		if (retryAfterMs !== undefined && this.phase === 'closed') this.obey(now, retryAfterMs);
	}

	private open(now: number): void {
		const window = this.current!;
		if (this.previous) {
			const length = window.openedAt - this.previous.openedAt;
			this.longestMs = Math.min(this.longestMs ?? length, length);
			this.hasMeasured = true;
			if (this.shortestMs >= this.longestMs) this.shortestMs = this.longestMs * (1 - STEP);
		}
		this.phase = 'open';
		this.failedProbes = 0;
		this.windowsSinceGrowth += 1;
		if (this.isTrusted && this.windowsSinceGrowth >= GROWTH_WINDOWS) {
			this.windowsSinceGrowth = 0;
			this.isTrusted = this.quota > 1 / GROWTH;
			this.quota += Math.max(1, Math.floor(this.quota * GROWTH));
		}
		if (window.started >= this.quota) this.close(now);
	}

	/** Nothing more goes out before the next probe. */
	private close(now: number): void {
		this.previous = this.current;
		this.phase = 'closed';
		const length = this.expectedLength();
		this.closedUntil =
			length === undefined ? now + this.probeDelay() : this.previous!.openedAt + length;
	}

	private learnQuota(window: Window, now: number): void {
		const accepted = Math.max(1, window.started - window.refused);
		this.isTrusted = Math.abs(accepted - this.quota) <= Math.max(1, this.quota * GROWTH);
		this.quota = accepted;
		if (this.phase !== 'closed') this.close(now);
	}

	private failProbe(now: number): void {
		const age = this.current!.openedAt - (this.previous?.openedAt ?? now);
		this.shortestMs = Math.max(this.shortestMs, age);
		if (this.longestMs !== undefined && this.longestMs <= age * (1 + PRECISION))
			this.longestMs = undefined;
		this.failedProbes += 1;
		this.phase = 'closed';
		const length = this.expectedLength();
		const next = this.previous && length !== undefined ? this.previous.openedAt + length : 0;
		this.closedUntil = Math.max(next, now + Math.min(this.probeDelay(), SHORTEST_PROBE_MS));
		if (length === undefined) this.closedUntil = now + this.probeDelay();
		this.current = undefined;
	}

	/** The gateway names the time: that is the end of the window. */
	private obey(now: number, retryAfterMs: number): void {
		// A gateway that names hardly any time and refuses again would be called in a busy loop.
		const isBelievable = retryAfterMs >= FIRST_PROBE_MS || this.failedProbes < BELIEVED_PROBES;
		if (retryAfterMs === 0 || !isBelievable) return;
		this.closedUntil = Math.max(now + retryAfterMs, now + SHORTEST_PROBE_MS);
		if (!this.previous) return;
		const length = this.closedUntil - this.previous.openedAt;
		[this.shortestMs, this.longestMs] = [Math.min(this.shortestMs, length), length];
	}

	private probeDelay(): number {
		const first = this.hasMeasured
			? Math.max(SHORTEST_PROBE_MS, this.shortestMs * STEP)
			: FIRST_PROBE_MS;
		return Math.min(LONGEST_PROBE_MS, first * 2 ** this.failedProbes);
	}

	/** The middle of what is possible until the bounds are close, then the upper one. */
	private expectedLength(): number | undefined {
		if (this.longestMs === undefined) return undefined;
		const isKnown = this.longestMs - this.shortestMs <= this.longestMs * PRECISION;
		return isKnown ? this.longestMs : (this.longestMs + this.shortestMs) / 2;
	}
}
