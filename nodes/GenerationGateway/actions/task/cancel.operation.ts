import { cancelTask } from '../../../gateway/tasks/api';
import { taskToOutput } from '../../tasks/toItem';
import { forEachId, readTaskIds } from '../../tasks/taskIds';
import { cancelOptions, taskId } from '../../tasks/properties';
import { readOutputOptions, type OutputOptions } from '../../tasks/planTask';
import { showUnderOperation, type Operation } from '../../operation';

/** POST /v1/tasks/{task_id}/cancel: the hold of an unfinished task is refunded in full. */
export const cancel: Operation<{ ids: string[]; delivery: OutputOptions }> = {
	properties: showUnderOperation('task', ['cancel'], [taskId, cancelOptions]),
	plan: (item) => ({ ids: readTaskIds(item), delivery: readOutputOptions(item) }),
	perform: ({ ids, delivery }, run) =>
		forEachId(
			ids,
			async (id) => await taskToOutput(await cancelTask(run.client, id), delivery, run),
		),
};
