import type { INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';
import { createLimiter } from '../../gateway/concurrency';
import { hasEnded } from '../../gateway/tasks/schema';
import { failureToItem } from '../../n8n/items/failure';
import { keepInput } from '../../n8n/items/includeInput';
import {
	findTaskError,
	taskToItem,
	type DownloadContext,
	type OutputItem,
} from '../../n8n/items/task';
import { runningToJson, type SuspendedItem } from './storedSuspension';
import { systemClock, wallTime } from '../../n8n/systemClock';
import type { SuspendedExecution } from './suspendedExecution';

const DOWNLOADS_AT_ONCE = 10;
/** Then the execution goes on with links. */
const LONGEST_DOWNLOADS_MS = 5 * 60_000;
/** Downloads take this share of the time that is left: after the end n8n goes on with the stored items. */
const DOWNLOADS_SHARE = 0.5;

/** The items in their order. `until`: the end of the suspension, in Unix milliseconds. */
export async function takeUpAll(
	node: IWebhookFunctions,
	items: readonly SuspendedItem[],
	execution: SuspendedExecution,
	until = Infinity,
): Promise<INodeExecutionData[]> {
	const late = new AbortController();
	const ms = Math.min(LONGEST_DOWNLOADS_MS, (until - wallTime()) * DOWNLOADS_SHARE);
	const cancel = systemClock.after(ms, () => late.abort());
	const loading = {
		limit: createLimiter(DOWNLOADS_AT_ONCE),
		signal: late.signal,
		// A resumed execution shows no hints.
		onUnmarked: (message: string) => node.logger.warn(`Generation Gateway: ${message}`),
	};
	return await Promise.all(
		items.map((item, index) => takeUp(node, item, index, execution, loading)),
	).finally(cancel);
}

/**
 * The item of a task: with its result, or with its state at the end of the suspension. With On Error: Stop a
 * failed task becomes an item, too, since the others wait in the same execution.
 */
async function takeUp(
	node: IWebhookFunctions,
	stored: SuspendedItem,
	index: number,
	execution: SuspendedExecution,
	loading: DownloadContext & { signal: AbortSignal },
): Promise<INodeExecutionData> {
	const { json, pairedItem, binary, suspended } = stored;
	const task = suspended && execution.latest(suspended.task_id);
	if (!task) return { json, pairedItem, binary };
	const { outputOptions, input, fields } = suspended;
	const besideInput = ({ json: result, ...others }: OutputItem) => ({
		...others,
		json: { ...(input && keepInput(input, result)), ...result, ...fields },
		pairedItem,
	});
	if (!hasEnded(task)) return besideInput({ json: runningToJson(task, outputOptions) });
	const { onError = 'stopWorkflow' } = node.getNode();
	const route = onError === 'continueErrorOutput' ? 'stored output' : 'regular';
	const toFailed = (error: unknown) => ({
		...failureToItem({ error, index, input, makesTask: true }, route),
		pairedItem,
	});
	const failure = onError === 'stopWorkflow' ? undefined : findTaskError(task, fields);
	if (failure) return toFailed(failure);
	try {
		return besideInput(await taskToItem(node, task, outputOptions, loading));
	} catch (error) {
		if (!loading.signal.aborted) return toFailed(error);
		const linksOnly = { ...outputOptions, download: undefined };
		return besideInput(await taskToItem(node, task, linksOnly, loading));
	}
}
