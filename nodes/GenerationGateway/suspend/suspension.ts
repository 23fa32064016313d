import type { IDataObject } from 'n8n-workflow';
import type { GatewayClient } from '../../gateway/client';
import { getTask } from '../../gateway/tasks/api';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import { taskToJson, type OutputOptions } from '../../n8n/items/task';
import { wallTime } from '../../n8n/systemClock';
import type { SuspendedItem } from './storedSuspension';

/** A task that the execution is suspended for, and how it becomes an item. */
export interface SuspendedTask {
	task: Task;
	outputOptions: OutputOptions;
	/** Longest suspension. */
	hours: number;
	cancelsOnStop: boolean;
	/** Further fields of its item. */
	fields?: IDataObject;
}

/** The item of a running task. It goes on like this when the time runs out, so it says when the state was read. */
export function toSuspendedItem({
	task,
	outputOptions,
	cancelsOnStop,
	fields,
}: Pick<SuspendedTask, 'task' | 'outputOptions'> & Partial<SuspendedTask>): SuspendedItem {
	const checked_at = new Date(wallTime()).toISOString();
	return {
		json: outputOptions.simplify
			? { ...taskToJson(task), checked_at, ...fields }
			: (task.raw as IDataObject),
		suspended: { task_id: task.taskId, outputOptions: { ...outputOptions }, cancelsOnStop, fields },
	};
}

/** A longer answer is not waited for. */
const POLL_AGAIN_MS = 60_000;

/**
 * Polls the tasks again. One may have ended while others were polled or downloaded, and its callback has met
 * an execution that was not suspended yet.
 */
export async function pollAgain(
	client: GatewayClient,
	suspended: readonly SuspendedTask[],
): Promise<Map<string, Task>> {
	const latest = new Map(suspended.map(({ task }) => [task.taskId, task]));
	await Promise.all(
		[...latest.values()]
			.filter((task) => !hasEnded(task))
			.map(async ({ taskId }) => {
				const until = client.context.clock.now() + POLL_AGAIN_MS;
				const task = await getTask(client, taskId, until).catch(() => undefined);
				if (task) latest.set(taskId, task);
			}),
	);
	return latest;
}
