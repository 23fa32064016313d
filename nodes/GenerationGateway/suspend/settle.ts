import { hasEnded } from '../../gateway/tasks/schema';
import { wallTime } from '../../n8n/systemClock';
import { findTaskError, type OutputItem } from '../../n8n/items/task';
import type { ItemOutcome, Run } from '../operation';
import { toOutput } from '../tasks/toOutput';
import { findRunning } from './findRunning';
import { toSuspendedItem, type SuspendedTask } from './storedSuspension';

export type SettledOutcome = OutputItem | { error: unknown };

/** The outcome of a task that had ended before. With On Error: Stop a failed one becomes an item, as after a resume. */
export async function toEndedOutcome(
	{ task, outputOptions, fields }: SuspendedTask,
	run: Run,
): Promise<SettledOutcome> {
	const failure = run.context.continueOnFail() ? findTaskError(task, fields) : undefined;
	if (failure) return { error: failure };
	try {
		const item = await toOutput(task, outputOptions, run);
		return { ...item, json: { ...item.json, ...fields } };
	} catch (error) {
		return { error };
	}
}

/** The longest time of the poll before a suspension. */
const POLL_AGAIN_MS = 60_000;

/** Polls once more before the suspension; there is none if all have ended. `until`: the longest that an item asks for. */
export async function settleSuspended(
	outcomes: ItemOutcome[][],
	run: Run,
): Promise<{ outcomes: SettledOutcome[][]; until?: Date }> {
	const suspended = outcomes
		.flat()
		.flatMap((outcome) => ('suspended' in outcome ? [outcome.suspended] : []));
	// One may have ended while others were polled or downloaded: its callback met an execution that was not
	// suspended yet.
	const known = new Map(suspended.map(({ task }) => [task.taskId, task]));
	const running = [...known.values()].filter((task) => !hasEnded(task));
	const until = run.client.context.clock.now() + POLL_AGAIN_MS;
	const ids = running.map(({ taskId }) => taskId);
	const { tasks } = await findRunning(run.client, ids, true, until);
	const latest = new Map([...known.values(), ...tasks].map((task) => [task.taskId, task]));
	const isOver = [...latest.values()].every(hasEnded);
	const settle = async (outcome: ItemOutcome): Promise<SettledOutcome> => {
		if (!('suspended' in outcome)) return outcome;
		const ended = { ...outcome.suspended, task: latest.get(outcome.suspended.task.taskId)! };
		return isOver ? await toEndedOutcome(ended, run) : toSuspendedItem(ended);
	};
	const settled = await Promise.all(
		outcomes.map(async (ofItem) => await Promise.all(ofItem.map(settle))),
	);
	if (isOver) return { outcomes: settled };
	const hours = Math.max(...suspended.map((task) => task.hours));
	return { outcomes: settled, until: new Date(wallTime() + hours * 3_600_000) };
}
