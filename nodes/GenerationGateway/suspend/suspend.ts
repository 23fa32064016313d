import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { findUnreachableLink } from '../../gateway/privateAddress';
import type { Task } from '../../gateway/tasks/schema';
import { taskToJson } from '../../n8n/items/task';
import type { Output, Run } from '../operation';

/** The link on which this execution can be called back while it is parked; n8n signs it, so it is used unchanged. */
export function getResumeUrl(host: IExecuteFunctions, itemIndex: number): string {
	const { resumeUrl } = host.getWorkflowDataProxy(itemIndex).$execution as { resumeUrl: string };
	return resumeUrl;
}

/**
 * Parks the execution for a task that has not ended, and gives the item that goes on when the time runs
 * out. Says so before parking when the gateway could not reach this n8n.
 */
export async function suspendedItem(
	task: Task,
	hours: number,
	isFlat: boolean,
	run: Run,
): Promise<Output> {
	const issue = await findUnreachableLink(run.context, getResumeUrl(run.context, 0));
	if (issue) throw issue.with({ task_id: task.taskId, status: task.status });
	run.suspendUntil = new Date(Date.now() + hours * 3_600_000);
	return { json: isFlat ? taskToJson(task) : (task.raw as IDataObject) };
}
