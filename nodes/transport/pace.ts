/** What is known about a running task when the next look at it is planned. All times in milliseconds. */
export interface Pace {
  elapsed: number;
  /** 0-100, as the gateway last said; 0 and 100 say nothing. */
  progress: number;
  /** How long a task of the same model took in this run. */
  expected?: number;
  /** Longest pause between two looks. */
  longest: number;
}

const SHORTEST_MS = 400;
/** Share of the elapsed time that a pause may take when nothing else is known. */
const SHARE = 0.08;
/** Share of the remaining time to sleep through when the remaining time can be told. */
const HALF = 0.5;

/** Milliseconds until the next look: half of what seems to remain, else a share of what has passed. */
export function nextLook({ elapsed, progress, expected, longest }: Pace): number {
  const byProgress = progress > 0 && progress < 100 ? (elapsed * (100 - progress)) / progress : undefined;
  const bySibling = expected !== undefined && expected > elapsed ? expected - elapsed : undefined;
  const remaining = byProgress ?? bySibling;
  const wanted = remaining === undefined ? elapsed * SHARE : remaining * HALF;
  return Math.min(longest, Math.max(SHORTEST_MS, wanted));
}
