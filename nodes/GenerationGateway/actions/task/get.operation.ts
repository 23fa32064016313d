import { getTask } from '../../../gateway/tasks/api';
import type { OutputOptions } from '../../../n8n/items/task';
import type { Operation } from '../../operation';
import { getOptions, taskId } from '../../tasks/parameters';
import { readOutputOptions } from '../../tasks/outputOptions';
import { forEachId, readTaskIds } from '../../tasks/taskIds';
import { toOutput } from '../../tasks/toOutput';

/** GET /v1/tasks/{task_id}: the current state of a task, ended or not. */
export const get: Operation<{ taskIds: string[]; outputOptions: OutputOptions }> = {
	properties: [taskId, getOptions],
	plan: async (item, run) => ({
		taskIds: readTaskIds(item),
		outputOptions: await readOutputOptions(item, run),
	}),
	perform: ({ taskIds, outputOptions }, run) =>
		forEachId(taskIds, async (id) => toOutput(await getTask(run.client, id), outputOptions, run)),
};
