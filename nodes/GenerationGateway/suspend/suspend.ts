import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { notReachable } from '../../gateway/privateAddress';
import type { Task } from '../../gateway/tasks/schema';
import { flat } from '../../n8n/items/task';
import type { Output, Run } from '../operation';

/** The link on which this execution can be called back while it is parked; n8n signs it, so it is used unchanged. */
export function resumeLink(host: IExecuteFunctions, itemIndex: number): string {
  const { resumeUrl } = host.getWorkflowDataProxy(itemIndex).$execution as { resumeUrl: string };
  return resumeUrl;
}

/**
 * Parks the execution for a task that has not ended, and gives the item that goes on when the time runs
 * out. Says so before parking when the gateway could not reach this n8n.
 */
export async function parkedItem(task: Task, hours: number, isFlat: boolean, run: Run): Promise<Output> {
  const issue = await notReachable(run.host, resumeLink(run.host, 0));
  if (issue) throw issue.with({ task_id: task.taskId, status: task.status });
  run.parkUntil = new Date(Date.now() + hours * 3_600_000);
  return { json: isFlat ? flat(task) : (task.raw as IDataObject) };
}
