import type { IDataObject } from 'n8n-workflow';
import type { GatewayClient } from '../../gateway/client';
import { getTask } from '../../gateway/tasks/api';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import { taskToJson, type OutputOptions } from '../../n8n/items/task';
import { wallTime } from '../../n8n/systemClock';
import type { SuspendedItem } from './storedSuspension';

/** A task for which the execution is suspended, and what its item is to become. */
export interface SuspendedTask {
	task: Task;
	outputOptions: OutputOptions;
	/** Longest suspension. */
	hours: number;
	/** It is cancelled when the user stops the execution. */
	cancelsOnStop: boolean;
}

/**
 * The item of a task that has not ended. It goes on as it is when the time runs out, so it says as of
 * when its state is.
 */
export function toSuspendedItem({
	task,
	outputOptions,
	cancelsOnStop,
}: Pick<SuspendedTask, 'task' | 'outputOptions'> & Partial<SuspendedTask>): SuspendedItem {
	const checked_at = new Date(wallTime()).toISOString();
	return {
		json: outputOptions.simplify ? { ...taskToJson(task), checked_at } : (task.raw as IDataObject),
		suspended: { task_id: task.taskId, outputOptions: { ...outputOptions }, cancelsOnStop },
	};
}

/** The execution is suspended without the answer when the gateway takes longer. */
const POLL_AGAIN_MS = 60_000;

/**
 * The tasks as they are now. A task may have ended while others were still being polled or downloaded,
 * and its callback has met an execution that was not suspended yet. A task that cannot be read now
 * keeps its state.
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
