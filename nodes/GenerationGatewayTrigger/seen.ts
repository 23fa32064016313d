import type { IDataObject } from 'n8n-workflow';

/** Tasks that started the workflow: by this process at once, and by all of them once n8n has saved it. */
const LONGEST_MS = 48 * 3_600_000;
/** In static data, which n8n reads and writes with the workflow; this process remembers more. */
const MOST = 1_000;
const MOST_HERE = 50_000;
const here = new Map<string, number>();

function trimmed(entries: [string, number][], now: number): [string, number][] {
  return entries.filter(([, at]) => now - at < LONGEST_MS).slice(-MOST);
}

/** Whether a task has not started the workflow yet; from now on it has. `saved` is the node's static data. */
export function isFirst(saved: IDataObject, scope: string, taskId: string, now = Date.now()): boolean {
  const stored = (saved.seen ?? {}) as Record<string, number>;
  const key = `${scope} ${taskId}`;
  if (here.has(key) || taskId in stored) return false;
  here.set(key, now);
  if (here.size > MOST_HERE) here.delete(here.keys().next().value!);
  saved.seen = Object.fromEntries(trimmed([...Object.entries(stored), [taskId, now]], now));
  return true;
}

/** Takes back what `isFirst` noted, where the task could not be handed over after all. */
export function unsee(saved: IDataObject, scope: string, taskId: string): void {
  here.delete(`${scope} ${taskId}`);
  const stored = Object.entries((saved.seen ?? {}) as Record<string, number>);
  saved.seen = Object.fromEntries(stored.filter(([id]) => id !== taskId));
}
