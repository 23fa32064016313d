import type { IDataObject } from 'n8n-workflow';
import type { Task } from '../../gateway/tasks/schema';
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
