import { probableEnd } from './pollCoordinator';

/** What is known of a running task. All times in milliseconds. */
interface PollState {
	/** Since the task was submitted. */
	elapsed: number;
	/** 0-100. 0 and 100 say nothing. */
	progress: number;
	/** `elapsed` when this progress was first seen. Undefined while it has hardly moved. */
	progressSeenAt?: number;
	/** The shortest duration of tasks of the same model. */
	expected?: number;
	/** By what factor its delay is longer than that of a watched task. 0 if it is watched. */
	slowdown?: number;
	/** Longest delay of a watched task. */
	longest: number;
}

const SHORTEST_MS = 400;
/** Where nothing is known: this, and a share of the time that has passed. The end is seen half a delay late. */
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
 * passed. The other tasks wait for the watched ones.
 */
export function nextPollDelay(state: PollState): number {
	const { elapsed, progress, progressSeenAt, expected, slowdown, longest } = state;
	const limit = (ms: number) => Math.min(longest, Math.max(SHORTEST_MS, ms));
	const blind = BLIND_MS + elapsed * BLIND_SHARE;
	const isMoving = progressSeenAt !== undefined && progress > 0 && progress < 100;
	const promised = isMoving ? (progressSeenAt * 100) / progress : Infinity;
	const remains = promised - elapsed;
	const untilPromised = remains > 0 ? remains * REMAINING_SHARE : Math.min(blind, -remains);
	if (expected === undefined) {
		if (slowdown) return limit(blind) * slowdown;
		return limit(isMoving ? untilPromised : blind);
	}
	const isOverdue = elapsed >= expected;
	const overdue = Math.min(blind, Math.max(elapsed - expected, elapsed * OVERDUE_SHARE));
	if (slowdown) return isOverdue ? limit(overdue) * slowdown : probableEnd(expected) - elapsed;
	if (promised <= expected) return limit(untilPromised);
	// A progress that moves in steps is seen late, and promises too much.
	if (isOverdue) return limit(Math.min(overdue, untilPromised));
	return Math.min(expected - elapsed, limit(Math.max(blind, elapsed, expected * EARLY_SHARE)));
}
