import type { IDataObject, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';
import { createLimiter, type Limiter } from '../../gateway/concurrency';
import { hasEnded } from '../../gateway/tasks/schema';
import { failureToItem } from '../../n8n/items/failure';
import {
	findTaskError,
	taskToItem,
	type OutputItem,
	type OutputOptions,
} from '../../n8n/items/task';
import { readOption, simplify } from '../../n8n/options';
import { suspendedTaskId, type SuspendedItem } from './storedSuspension';
import type { SuspendedExecution } from './suspendedExecution';
import { toSuspendedItem } from './suspension';

/** The items of an execution that goes on, in their order; so many files are loaded at once. */
export async function takeUpAll(
	node: IWebhookFunctions,
	items: readonly SuspendedItem[],
	execution: SuspendedExecution,
	concurrency: number,
): Promise<INodeExecutionData[]> {
	const limit = createLimiter(concurrency);
	return await Promise.all(items.map((item, index) => takeUp(node, item, index, execution, limit)));
}

/** What an item wanted when it was suspended; of an item without that, what the options say. */
function outputOptionsOf(node: IWebhookFunctions, { suspended }: SuspendedItem): OutputOptions {
	if (suspended) return suspended.outputOptions;
	const options = node.getNodeParameter('options', {}) as IDataObject;
	return {
		download: options.download as string | undefined,
		simplify: readOption(simplify, options),
	};
}

/**
 * The item of a task as it goes on: one that has ended with its result, one that still runs at the end
 * of the suspension with its state. With On Error: Stop a failed one goes on too, since the others wait
 * in the same execution; otherwise it leaves as failed items do.
 */
async function takeUp(
	node: IWebhookFunctions,
	stored: SuspendedItem,
	index: number,
	execution: SuspendedExecution,
	limit: Limiter,
): Promise<INodeExecutionData> {
	const { json, pairedItem, binary } = stored;
	const task = execution.latest(suspendedTaskId(stored) ?? '');
	if (!task) return { json, pairedItem, binary };
	const outputOptions = outputOptionsOf(node, stored);
	const input = stored.suspended?.input;
	const besideInput = ({ json: result, ...others }: OutputItem) => ({
		...others,
		json: { ...input, ...result },
		pairedItem,
	});
	if (!hasEnded(task)) return besideInput({ json: toSuspendedItem({ task, outputOptions }).json });
	const { onError = 'stopWorkflow' } = node.getNode();
	const route = onError === 'continueErrorOutput' ? 'stored output' : 'regular';
	const toFailed = (error: unknown) => ({
		...failureToItem({ error, index, input }, route),
		pairedItem,
	});
	const failure = onError === 'stopWorkflow' ? undefined : findTaskError(task);
	if (failure) return toFailed(failure);
	return await taskToItem(node, task, outputOptions, { limit }).then(besideInput, toFailed);
}
