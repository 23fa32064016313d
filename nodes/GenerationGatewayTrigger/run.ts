import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { createLimiter } from '../gateway/concurrency';
import { readTask, type Task } from '../gateway/tasks/schema';
import type { CredentialContext } from '../n8n/gatewayContext';
import { ItemReader } from '../n8n/itemReader';
import { failureToItem } from '../n8n/items/failure';
import { taskToItem, type DownloadContext, type OutputOptions } from '../n8n/items/task';
import { simplify, split } from '../n8n/options';
import { scopeOf } from '../n8n/processedData';
import { keyOf, queue } from './callbackQueue';
import { keepFirst } from './seen';

/** Downloads at once. */
const CONCURRENCY = 5;

/** Begins a run, without tasks that have already started one. Downloads files here, where nobody waits for an answer. */
export async function beginRun(node: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const given = node.getInputData();
	const ids = given.map(({ json }) => readTask(json)?.taskId);
	const mode = node.getMode();
	queue.beginRun(keyOf(scopeOf(node), ids), mode === 'webhook');
	// A test may be repeated, and so may a Retry.
	const items = mode === 'manual' || mode === 'retry' ? given : await keepFirst(node, given);
	if (items.length < given.length)
		node.addExecutionHints?.({
			message: 'A task of this callback had already started the workflow',
			location: 'outputPane',
		});
	const context = {
		limit: createLimiter(CONCURRENCY),
		signal: (node as CredentialContext).getExecutionCancelSignal?.(),
	};
	const outputs = items.map(async (item) => {
		const task = readTask(item.json);
		return task ? await toItems(node, task, context) : [item];
	});
	return (await Promise.all(outputs)).flat();
}

/** A task without its file is paid all the same, so its item says what happened. */
async function toItems(
	node: IExecuteFunctions,
	task: Task,
	context: DownloadContext,
): Promise<INodeExecutionData[]> {
	// No item can be refused: an option that cannot be read counts as not added.
	const options = new ItemReader(node, 0);
	const outputOptions: OutputOptions = {
		download: options.rawOptions.download as string | undefined,
		simplify: options.option(simplify),
	};
	const isSplit = options.option(split) && task.urls.length > 1;
	const parts = isSplit ? task.urls.map((url) => ({ ...task, urls: [url] })) : [task];
	return await Promise.all(
		parts.map(async (part, index): Promise<INodeExecutionData> => {
			const wanted = { ...outputOptions, ...(isSplit && { outputNumber: index + 1 }) };
			try {
				return { ...(await taskToItem(node, part, wanted, context)) };
			} catch (error) {
				return { json: failureToItem({ error, index: 0 }).json };
			}
		}),
	);
}
