import { cancelTask } from '../../../gateway/tasks/api';
import { cancelOptions } from '../../tasks/parameters';
import { hasEnded } from '../../../gateway/tasks/schema';
import { createTaskOperation } from '../../tasks/taskOperation';

/** POST /v1/tasks/{task_id}/cancel: the hold of an unfinished task is refunded in full. */
export const cancel = createTaskOperation(async ({ client, summary }, id) => {
	const task = await cancelTask(client, id);
	if (hasEnded(task) && task.status !== 'cancelled')
		summary.addWarning(`A task was not cancelled: it had already ${task.status}`);
	return task;
}, cancelOptions);
