/** What is known about a running task when the next look at it is planned. All times in milliseconds. */
export interface Pace {
  /** Since the task was submitted. */
  elapsed: number;
  /** 0-100, as the gateway last said; 0 and 100 say nothing. */
  progress: number;
  /** The progress of the look before. One that stands still says nothing about what remains. */
  progressBefore?: number;
  /** How long a task of the same model took in this run. */
  expected?: number;
  /** Longest pause between two looks. */
  longest: number;
}

const SHORTEST_MS = 400;
/** Share of the elapsed time that a pause may take on top when nothing else is known: half of it is what a task's end waits to be seen. */
const SHARE = 0.055;
/** Share of the remaining time to sleep through when the remaining time can be told. */
const HALF = 0.5;

/** Milliseconds until the next look: half of what seems to remain, else little more than a share of what has passed. */
export function nextLook({ elapsed, progress, progressBefore = 0, expected, longest }: Pace): number {
  const moves = progress > progressBefore && progress < 100;
  const byProgress = moves ? (elapsed * (100 - progress)) / progress : undefined;
  const bySibling = expected !== undefined && expected > elapsed ? expected - elapsed : undefined;
  const remaining = byProgress ?? bySibling;
  const wanted = remaining === undefined ? SHORTEST_MS + elapsed * SHARE : remaining * HALF;
  return Math.min(longest, Math.max(SHORTEST_MS, wanted));
}
