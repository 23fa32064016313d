import type { INodeProperties } from 'n8n-workflow';
import { isBlank } from '../../catalog/json';
import { quote } from '../../catalog/labels';
import type { Task } from '../../gateway/tasks/schema';
import type { ItemReader } from '../../n8n/itemReader';
import type { OutputOptions } from '../../n8n/items/task';
import type { ItemOutcome, Operation, Run } from '../operation';
import { readOutputOptions } from './outputOptions';
import { taskId } from './parameters';
import { toOutput } from './toOutput';

/** IDs with commas between them, or a list from an expression. */
export function readTaskIds(item: ItemReader): string[] {
	const given = [item.raw('taskId', '')].flat();
	const ids = given
		.flatMap((id): unknown[] => (typeof id === 'string' ? id.split(',') : [id]))
		.map((id) => (typeof id === 'string' ? id.trim() : id))
		.filter((id) => !isBlank(id));
	if (given.length > 1 && given.includes(undefined)) item.warnMissing('A Task ID');
	const wrong = ids.find((id) => typeof id !== 'string' || /[\s/?#\p{Cs}]|^\.+$/u.test(id));
	const fail = (problem: string) => item.failWith('taskId', `Task ID ${problem}`);
	const { error } = item.json;
	if (!ids.length && error)
		throw fail(
			`is empty. The item has an error, ${quote(error)}. Let only items without one through, e.g. by an If node`,
		);
	if (!ids.length) throw fail('is empty. Give the task_id that a submission returned');
	if (wrong !== undefined) throw fail(`must look like task_01h8, but is ${JSON.stringify(wrong)}`);
	return ids as string[];
}

/** All IDs at once. One that fails does not end the others. */
export function forEachId(
	ids: readonly string[],
	work: (id: string) => Promise<ItemOutcome>,
): Promise<ItemOutcome[]> {
	return Promise.all(ids.map((id) => work(id).catch((error: unknown) => ({ error }))));
}

/** One request for each task ID. The items hold the state of the tasks, ended or not. */
export const createTaskOperation = (
	request: (run: Run, taskId: string) => Promise<Task>,
	options: INodeProperties,
): Operation<{ taskIds: string[]; outputOptions: OutputOptions }> => ({
	properties: [taskId, options],
	plan: async (item, run) => ({
		taskIds: readTaskIds(item),
		outputOptions: await readOutputOptions(item, run),
	}),
	perform: ({ taskIds, outputOptions }, run) =>
		forEachId(taskIds, async (id) => toOutput(await request(run, id), outputOptions, run)),
});
