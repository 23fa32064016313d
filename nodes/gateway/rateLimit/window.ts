import { STEP } from './windowTrials';

/** Usual lengths of limits. Without 40 s, another client costs 1.88 times AIMD, not 1.4. */
const USUAL_LENGTHS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 60_000];
/** A window began a little later than its first request. With 1, p50 on a rough network is 1.08, not 1.04. */
const MARGIN = 1.02;
/** With 20 s, another client costs 2.4 times AIMD. */
export const LONGEST_PROBE_GAP_MS = 5_000;

export type Window = ReturnType<typeof createWindow>;

export const createWindow = (openedAt: number, quota: number) => ({
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

/**
 * When a closed window is probed next: at the planned length, then ever later, and at each usual length. An
 * unknown length counts from the refusal: the first request may have been the last of the window before.
 */
export function nextProbe(window: Window, plannedMs: number | undefined, now: number): number {
	const { openedAt, closedAt, failedProbes } = window;
	const from = plannedMs === undefined ? closedAt : openedAt;
	const usual = USUAL_LENGTHS_MS.map((ms) => from + ms * MARGIN).find((at) => at > now);
	if (plannedMs === undefined) return usual ?? now + LONGEST_PROBE_GAP_MS;
	if (now < openedAt + plannedMs) return openedAt + plannedMs;
	const gapMs = Math.min(LONGEST_PROBE_GAP_MS, plannedMs * STEP * 2 ** failedProbes);
	return Math.min(now + gapMs, usual ?? Infinity);
}
