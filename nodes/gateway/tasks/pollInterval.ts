import { probableEnd } from './pollCoordinator';

/** What is known of a running task. All times in milliseconds. */
export interface PollState {
	/** Since the task was submitted. */
	elapsed: number;
	/** 0-100. 0 and 100 say nothing. */
	progress: number;
	/** `elapsed` when this progress was first seen. Undefined while it has hardly moved. */
	progressSeenAt?: number;
	/** The shortest duration of tasks of the same model. */
	expected?: number;
	/** By what factor its delay is longer than that of a scout. 0 for a scout. */
	slowdown?: number;
	/** Longest delay of a scout. */
	longest: number;
}

const SHORTEST_MS = 400;
/**
 * Where nothing is known: this, and a share of the time that has passed. The end is seen half a delay late on
 * average.
 */
const BLIND_MS = 440;
const BLIND_SHARE = 0.052;
/** Share of the remaining time, where the progress tells it. */
const REMAINING_SHARE = 0.55;
/** The first poll, as a share of what other tasks took. Each next one comes at twice the age. */
const EARLY_SHARE = 1 / 16;
/** The soonest next poll of an overdue task, as a share of its age. */
const OVERDUE_SHARE = 0.04;

/**
 * Milliseconds until the next poll. With a progress: about half of what remains. Before the duration of other
 * tasks: rarely. After it: as long as the task has been overdue. Otherwise: a little, and a share of what has
 * passed. Tasks that are no scouts wait for the scouts.
 */
export function nextPollDelay(state: PollState): number {
	const { elapsed, progress, progressSeenAt, expected, slowdown = 0, longest } = state;
	const blind = BLIND_MS + elapsed * BLIND_SHARE;
	const limit = (ms: number) => Math.min(longest, Math.max(SHORTEST_MS, ms));
	if (expected === undefined && slowdown) return blind * slowdown;
	const isMoving = progressSeenAt !== undefined && progress > 0 && progress < 100;
	const promised = isMoving ? (progressSeenAt * 100) / progress : undefined;
	if (expected === undefined || (promised !== undefined && promised <= expected)) {
		if (promised !== undefined) return limit(untilPromised(promised - elapsed, blind));
		return limit(blind);
	}
	const remaining = expected - elapsed;
	if (remaining <= 0) {
		const overdue = Math.min(blind, Math.max(-remaining, elapsed * OVERDUE_SHARE));
		// A progress that moves in steps is seen late, and promises too much.
		if (promised === undefined) return limit(overdue);
		return limit(Math.min(overdue, untilPromised(promised - elapsed, blind)));
	}
	if (slowdown) return probableEnd(expected) - elapsed;
	return Math.min(remaining, limit(Math.max(blind, elapsed, expected * EARLY_SHARE)));
}

const untilPromised = (remaining: number, blind: number): number =>
	remaining > 0 ? remaining * REMAINING_SHARE : Math.min(blind, -remaining);
