import { cancelTask } from '../../../gateway/tasks/api';
import type { OutputOptions } from '../../../n8n/items/task';
import type { Operation } from '../../operation';
import { cancelOptions, taskId } from '../../tasks/parameters';
import { readOutputOptions } from '../../tasks/outputOptions';
import { forEachId, readTaskIds } from '../../tasks/taskIds';
import { toOutput } from '../../tasks/toOutput';

/** POST /v1/tasks/{task_id}/cancel: the hold of an unfinished task is refunded in full. */
export const cancel: Operation<{ taskIds: string[]; outputOptions: OutputOptions }> = {
	properties: [taskId, cancelOptions],
	plan: async (item, run) => ({
		taskIds: readTaskIds(item),
		outputOptions: await readOutputOptions(item, run),
	}),
	perform: ({ taskIds, outputOptions }, run) =>
		forEachId(taskIds, async (id) =>
			toOutput(await cancelTask(run.client, id), outputOptions, run),
		),
};
