import { hasEnded, type Task } from '../../gateway/tasks/schema';
import type { Run } from '../operation';

/** Logs once for a run what it waits for. The editor only shows that the node runs. */
export function logWait(task: string | Task, run: Run): void {
	if (typeof task !== 'string' && hasEnded(task)) return;
	run.share('logWait', () => {
		const id = typeof task === 'string' ? task : task.taskId;
		const others =
			run.itemCount > 1 ? ` and the tasks of the other items (${run.itemCount} in all)` : '';
		run.context.logger.info(`Generation Gateway: waiting for ${id}${others}`);
	});
}
