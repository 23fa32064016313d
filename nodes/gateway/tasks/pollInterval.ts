import { probableEnd } from './pollCoordinator';

/** What is known about a running task when its next poll is planned. All times in milliseconds. */
export interface PollState {
	/** Since the task was submitted. */
	elapsed: number;
	/** 0-100, as the gateway last said; 0 and 100 say nothing. */
	progress: number;
	/** What `elapsed` was when this progress was first seen; undefined while it has hardly moved, which says nothing either. */
	progressSeenAt?: number;
	/** How long tasks of the same model took at least, in this run or in earlier ones. */
	expected?: number;
	/**
	 * How much longer it waits than the task that is polled instead of it, as a factor, while nothing shows
	 * how long such tasks take; 0 where it is polled itself.
	 */
	followers?: number;
	/** Longest delay between two polls of a task that is polled itself. */
	longest: number;
}

const SHORTEST_MS = 400;
/**
 * The delay when nothing is known: this, and a share of the time that has passed. The end of a task is
 * seen half a delay late on average.
 */
const BLIND_MS = 440;
const BLIND_SHARE = 0.052;
/** Share of the remaining time to wait when the progress tells the remaining time. */
const REMAINING_SHARE = 0.55;
/** Where others took longer, the first poll comes at this share of their time, and each next one at twice the age. */
const EARLY_SHARE = 1 / 16;
/** Share of its age after which a task that has just become overdue is polled again, at the soonest. */
const OVERDUE_SHARE = 0.04;

/**
 * Milliseconds until the next poll. With a progress somewhat more than half of what seems to remain.
 * Where others of the model took longer, rarely, in case that this one does not; where they took less,
 * as long as it has been overdue. Where nothing can be estimated, a little and a share of what has
 * passed. Of many tasks of one model, a few are polled like this, and the others when these have shown
 * how long they take.
 */
export function nextPollDelay(state: PollState): number {
	const { elapsed, progress, progressSeenAt, expected, followers = 0, longest } = state;
	const blind = BLIND_MS + elapsed * BLIND_SHARE;
	const limit = (ms: number) => Math.min(longest, Math.max(SHORTEST_MS, ms));
	if (expected === undefined && followers) return blind * followers;
	const isMoving = progressSeenAt !== undefined && progress > 0 && progress < 100;
	const promised = isMoving ? (progressSeenAt * 100) / progress : undefined;
	if (expected === undefined || (promised !== undefined && promised <= expected)) {
		if (promised !== undefined) return limit(untilPromised(promised - elapsed, blind));
		return limit(blind);
	}
	const remaining = expected - elapsed;
	if (remaining <= 0) {
		const overdue = Math.min(blind, Math.max(-remaining, elapsed * OVERDUE_SHARE));
		// A progress that moves in leaps is seen late, and promises more than is true.
		if (promised === undefined) return limit(overdue);
		return limit(Math.min(overdue, untilPromised(promised - elapsed, blind)));
	}
	if (followers) return probableEnd(expected) - elapsed;
	return Math.min(remaining, limit(Math.max(blind, elapsed, expected * EARLY_SHARE)));
}

const untilPromised = (remaining: number, blind: number): number =>
	remaining > 0 ? remaining * REMAINING_SHARE : Math.min(blind, -remaining);
