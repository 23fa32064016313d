import { hasNoOutput, lacksResult, type Task } from '../../gateway/tasks/schema';
import { taskToItem, type OutputItem, type OutputOptions } from '../../n8n/items/task';
import type { Run } from '../operation';

/** The item of a task. Its state counts for the budget. */
export async function toOutput(task: Task, options: OutputOptions, run: Run): Promise<OutputItem> {
	run.summary.addTask(task);
	if (hasNoOutput(task))
		run.summary.addWarning(
			`The task ${task.taskId} ended without a usable output and was refunded in full. Run it again for a new task.`,
		);
	if (lacksResult(task))
		run.summary.addWarning(
			`The gateway says that ${task.taskId} is completed, but gives no result. Read it again later with Task > Get.`,
		);
	const item = await taskToItem(run.context, task, options, {
		limit: run.downloadLimit,
		signal: run.client.context.signal,
		onMissingFiles: ({ message, hint }) =>
			run.summary.addWarning(`${message}. The item has the links. ${hint}`),
		onUnmarked: (message) => run.summary.unmarked.push(message),
	});
	const { isInGallery, itemNumber = 1 } = options;
	if (isInGallery && item.binary) run.gallery.add(task, itemNumber, item.binary);
	return item;
}
