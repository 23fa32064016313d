/** What is known about a running task when its next poll is planned. All times in milliseconds. */
export interface PollState {
	/** Since the task was submitted. */
	elapsed: number;
	/** 0-100, as the gateway last said; 0 and 100 say nothing. */
	progress: number;
	/** What `elapsed` was when this progress was first seen; undefined while it has hardly moved, which says nothing either. */
	progressSeenAt?: number;
	/** How long a task of the same model took in this run. */
	expected?: number;
	/** Longest delay between two polls. */
	longest: number;
}

const SHORTEST_MS = 400;
/** The delay when nothing is known: this, and a share of the time that has passed. The end of a task is seen half a delay late on average. */
const BLIND_MS = 440;
const BLIND_SHARE = 0.052;
/** Share of the remaining time to wait when the remaining time can be estimated. */
const REMAINING_SHARE = 0.55;

/**
 * Milliseconds until the next poll: somewhat more than half of what seems to remain. Once a task is
 * overdue, as long as it has been so; where nothing can be estimated, a little and a share of what
 * has passed.
 */
export function nextPollDelay(state: PollState): number {
	const { elapsed, progress, progressSeenAt, expected, longest } = state;
	const isMoving = progressSeenAt !== undefined && progress > 0 && progress < 100;
	const total = isMoving ? (progressSeenAt * 100) / progress : expected;
	const blind = BLIND_MS + elapsed * BLIND_SHARE;
	const remaining = total === undefined ? undefined : total - elapsed;
	const wanted =
		remaining === undefined
			? blind
			: remaining > 0
				? remaining * REMAINING_SHARE
				: Math.min(blind, -remaining);
	return Math.min(longest, Math.max(SHORTEST_MS, wanted));
}
