import { hasEnded, type Task } from '../wire/task';
import type { Door } from './door';
import { GatewayIssue } from './errors';
import { nextLook } from './pace';
import { pause } from './pause';
import { getTask } from './tasks';

export interface Patience {
  /** Milliseconds after which the task is handed over as it stands. */
  timeoutMs: number;
  /** Longest pause between two looks, in milliseconds. */
  longestMs: number;
}

/** How long tasks of a model took in this run, so that later ones are looked at when they should be ready. */
export type Durations = Map<string, number>;

/**
 * Looks at a task until it has ended or the time is up, and hands over its last known state either way:
 * a look that does not work is not a task that failed. Only a refusal (wrong key, unknown ID) and the
 * user's stop end the wait early, as an issue that carries the task id.
 */
export async function awaitTask(door: Door, task: Task, patience: Patience, durations: Durations): Promise<Task> {
  const began = Date.now();
  const end = began + patience.timeoutMs;
  let last = task;
  while (!hasEnded(last)) {
    const elapsed = Date.now() - began;
    const expected = durations.get(last.model ?? '');
    const wanted = nextLook({ elapsed, progress: last.progress, expected, longest: patience.longestMs });
    const ms = Math.min(wanted, end - Date.now());
    if (ms <= 0) return last;
    try {
      await pause(ms, door.signal);
      const seen = await getTask(door, task.taskId);
      last = { ...seen, held: seen.held ?? last.held };
    } catch (error) {
      if (!(error instanceof GatewayIssue) || !error.standing.retry) throw withTask(error, task);
    }
  }
  if (last !== task) durations.set(last.model ?? '', Date.now() - began);
  return last;
}

const withTask = (error: unknown, { taskId }: Task) =>
  error instanceof GatewayIssue ? error.with({ task_id: taskId }) : error;
