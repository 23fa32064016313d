import { getTask } from '../../../gateway/tasks/api';
import { taskToOutput } from '../../tasks/toItem';
import { forEachId, readTaskIds } from '../../tasks/taskIds';
import { getOptions, taskId } from '../../tasks/properties';
import { readOutputOptions, type OutputOptions } from '../../tasks/planTask';
import { showUnderOperation, type Operation } from '../../operation';

/** GET /v1/tasks/{task_id}: the task as it stands now, whatever its state. */
export const get: Operation<{ ids: string[]; delivery: OutputOptions }> = {
	properties: showUnderOperation('task', ['get'], [taskId, getOptions]),
	plan: (item) => ({ ids: readTaskIds(item), delivery: readOutputOptions(item) }),
	perform: ({ ids, delivery }, run) =>
		forEachId(ids, async (id) => await taskToOutput(await getTask(run.client, id), delivery, run)),
};
