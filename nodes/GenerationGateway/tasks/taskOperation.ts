import type { INodeProperties } from 'n8n-workflow';
import type { GatewayClient } from '../../gateway/client';
import type { Task } from '../../gateway/tasks/schema';
import type { OutputOptions } from '../../n8n/items/task';
import type { Operation } from '../operation';
import { readOutputOptions } from './outputOptions';
import { taskId } from './parameters';
import { forEachId, readTaskIds } from './taskIds';
import { toOutput } from './toOutput';

/** One request for each task ID. The items hold the state of the tasks, ended or not. */
export const createTaskOperation = (
	request: (client: GatewayClient, taskId: string) => Promise<Task>,
	options: INodeProperties,
): Operation<{ taskIds: string[]; outputOptions: OutputOptions }> => ({
	properties: [taskId, options],
	plan: async (item, run) => ({
		taskIds: readTaskIds(item),
		outputOptions: await readOutputOptions(item, run),
	}),
	perform: ({ taskIds, outputOptions }, run) =>
		forEachId(taskIds, async (id) => toOutput(await request(run.client, id), outputOptions, run)),
});
