import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { GatewayClient } from '../../gateway/client';
import { getTask } from '../../gateway/tasks/api';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import { createClientAfterStop } from '../../n8n/gatewayContext';
import { taskToJson, type OutputOptions } from '../../n8n/items/task';
import { systemClock } from '../../n8n/systemClock';
import { findRunning } from './findRunning';

/** A task for which the execution is suspended, and what its item is to become. */
export interface SuspendedTask {
	task: Task;
	outputOptions: OutputOptions;
	/** Longest suspension. */
	hours: number;
}

/** What is stored beside the JSON of a suspended item, for the time when it is resumed. */
export interface StoredSuspension {
	task_id: string;
	outputOptions: OutputOptions;
}

export type SuspendedItem = INodeExecutionData & { suspended?: StoredSuspension & IDataObject };

/** The link on which this execution can be called back while it is suspended; n8n signs it, so it is used unchanged. */
export function getResumeUrl(context: IExecuteFunctions, itemIndex: number): string {
	const { resumeUrl } = context.getWorkflowDataProxy(itemIndex).$execution as { resumeUrl: string };
	return resumeUrl;
}

/**
 * The item of a task that has not ended. It goes on as it is when the time runs out, so it says as of
 * when its state is.
 */
export function toSuspendedItem({ task, outputOptions }: SuspendedTask): SuspendedItem {
	const checked_at = new Date(systemClock.now()).toISOString();
	return {
		json: outputOptions.simplify ? { ...taskToJson(task), checked_at } : (task.raw as IDataObject),
		suspended: { task_id: task.taskId, outputOptions: { ...outputOptions } },
	};
}

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
				const task = await getTask(client, taskId).catch(() => undefined);
				if (task) latest.set(taskId, task);
			}),
	);
	return latest;
}

/** Seconds after which the node polls its tasks, each time three times as long, half an hour at most. */
const FIRST_CALL_SECONDS = 3;
const GROWTH = 3;
const LONGEST_SECONDS = 1_800;
/** n8n answers 409 while it still saves the suspended execution, and also when the execution has gone on. */
const SAVING_SECONDS = 30;

/**
 * Polls the tasks of the suspended execution now and then and calls its resume link when none runs any
 * more, so that it goes on also when a callback met it too early, was lost, or went to the execution
 * that had made the task. The link is not called before, since n8n reads the whole execution for each
 * call. It ends when the execution has gone on, and with this process; then the callbacks alone are left.
 */
export function callOwnResumeUrl(
	context: IExecuteFunctions,
	until: Date,
	taskIds: readonly string[],
): void {
	const url = getResumeUrl(context, 0);
	const startedAt = systemClock.now();
	const plan = (seconds: number): void => {
		if (systemClock.now() + seconds * 1000 > until.getTime()) return;
		systemClock.after(seconds * 1000, () => void callAfter(seconds));
	};
	const callAfter = async (seconds: number): Promise<void> => {
		const { hasRunning, hasAnswer } = await findRunning(createClientAfterStop(context), taskIds);
		if (hasAnswer && !hasRunning) {
			const status = await callOnce(context, url);
			const isSaved = systemClock.now() - startedAt > SAVING_SECONDS * 1000;
			if (status === 404 || (status === 409 && isSaved)) return;
		}
		plan(Math.min(LONGEST_SECONDS, seconds * GROWTH));
	};
	plan(FIRST_CALL_SECONDS);
}

async function callOnce({ helpers }: IExecuteFunctions, url: string): Promise<number | undefined> {
	try {
		const { statusCode } = (await helpers.httpRequest({
			method: 'POST',
			url,
			body: {},
			json: true,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
		})) as { statusCode: number };
		return statusCode;
	} catch {
		return undefined;
	}
}
