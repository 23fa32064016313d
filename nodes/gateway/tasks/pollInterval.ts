/** What is known about a running task when the next look at it is planned. All times in milliseconds. */
export interface PollState {
	/** Since the task was submitted. */
	elapsed: number;
	/** 0-100, as the gateway last said; 0 and 100 say nothing. */
	progress: number;
	/** What `elapsed` was when this progress was first seen; undefined while it has hardly moved, which says nothing either. */
	seenAt?: number;
	/** How long a task of the same model took in this run. */
	expected?: number;
	/** Longest pause between two looks. */
	longest: number;
}

const SHORTEST_MS = 400;
/** A pause when nothing is known: this, and a share of the time that has passed. Half a pause is what an end waits to be seen. */
const UNKNOWING_MS = 440;
const SHARE = 0.052;
/** Share of the remaining time to sleep through when the remaining time can be told. */
const MOST = 0.55;

/**
 * Milliseconds until the next look: somewhat more than half of what seems to remain. Once a task is overdue, as long as it has been
 * so; and where nothing can be told, a little and a share of what has passed.
 */
export function nextPollDelay({ elapsed, progress, seenAt, expected, longest }: PollState): number {
	const byProgress =
		seenAt !== undefined && progress > 0 && progress < 100 ? (seenAt * 100) / progress : undefined;
	const remaining = (byProgress ?? expected ?? NaN) - elapsed;
	const unknowing = UNKNOWING_MS + elapsed * SHARE;
	const wanted =
		remaining > 0
			? remaining * MOST
			: Math.min(unknowing, Number.isNaN(remaining) ? Infinity : -remaining);
	return Math.min(longest, Math.max(SHORTEST_MS, wanted));
}
