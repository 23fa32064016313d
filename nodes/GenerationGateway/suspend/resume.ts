import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { findTaskIds } from '../../gateway/callbacks/taskIds';
import { createLimiter, type Limiter } from '../../gateway/concurrency';
import { readTask } from '../../gateway/tasks/schema';
import { createNodeClient } from '../../n8n/gatewayContext';
import { failureToItem } from '../../n8n/items/failure';
import { findTaskError, taskToItem, type OutputOptions } from '../../n8n/items/task';
import { readOption, simplify } from '../../n8n/options';
import { isForOtherSuspension } from './ownCall';
import { confirmResume } from './ownChecks';
import { toResumeUrl } from './resumeLink';
import { SuspendedExecution } from './suspendedExecution';
import type { SuspendedItem } from './suspension';

/** A caller waits for the answer; a task that cannot be fetched now is fetched at the next callback. */
const CLIENT = {
	concurrency: 10,
	retry: { attempts: 2, budgetMs: 3_000, firstDelayMs: 200 },
	longestMs: 4_000,
};

interface StoredExecution {
	/** The items the node stored when it was suspended, in order. */
	items: SuspendedItem[];
	executionUrl: string;
}

function readStored(node: IWebhookFunctions): StoredExecution {
	const items =
		'$input.all().map(({ json, pairedItem, binary, suspended }) => ({ json, pairedItem, binary, suspended }))';
	const stored = node.evaluateExpression(
		`{{ JSON.stringify({ items: ${items}, executionUrl: $execution.resumeUrl }) }}`,
	);
	return JSON.parse(String(stored)) as StoredExecution;
}

const respond = (node: IWebhookFunctions, status: number): IWebhookResponseData => {
	node
		.getResponseObject()
		.status(status)
		.json({ received: status === 200 });
	return { noWebhookResponse: true };
};

/**
 * The task an item waits for. Items that a former version stored, or that n8n keeps without what
 * stands beside their JSON, are known by their state.
 */
function suspendedTaskId({ json, binary, suspended }: SuspendedItem): string | undefined {
	if (suspended) return suspended.task_id;
	return binary || 'error' in json ? undefined : readTask(json)?.taskId;
}

/** Answers a callback to a suspended execution; the execution goes on when all its tasks have ended. */
export async function resumeExecution(node: IWebhookFunctions): Promise<IWebhookResponseData> {
	const execution = SuspendedExecution.of(node.getExecutionId());
	if (execution.isScheduled) return respond(node, 200);
	const { epoch } = execution;
	execution.credential.serve(node);
	const client = createNodeClient(node, CLIENT);
	// While a task runs that was awaited a moment ago, nothing is read: n8n takes long to evaluate it.
	const body = node.getBodyData();
	const known = execution.knownTaskIds(findTaskIds(body));
	let outcome = known && (await execution.take(client, known, epoch));
	if (outcome !== 'noted') {
		const stored = readStored(node);
		const taskIds = stored.items.map(suspendedTaskId).filter((id) => id !== undefined);
		const isSame = known?.join() === taskIds.join();
		// The execution has gone on meanwhile and been suspended again, for other tasks.
		if (outcome === 'resume' && !isSame) execution.finishResume(false);
		if (isForOtherSuspension(body, taskIds)) return respond(node, 410);
		if (!isSame) outcome = await execution.take(client, taskIds, epoch);
		if (outcome === 'resume') {
			if (await execution.renewCredential(node)) return await resume(node, stored, execution);
			outcome = 'again';
		}
	}
	return respond(node, outcome === 'noted' ? 200 : 503);
}

/**
 * Lets the execution go on. The caller gets its answer before n8n starts it: n8n refuses one of two
 * processes that resume it at the same time, and neither caller has to come again for that.
 */
async function resume(
	node: IWebhookFunctions,
	{ items, executionUrl }: StoredExecution,
	execution: SuspendedExecution,
): Promise<IWebhookResponseData> {
	let isDone = false;
	try {
		const limit = createLimiter(CLIENT.concurrency);
		const output = items.map((item, index) => takeUp(node, item, index, execution, limit));
		const workflowData = [await Promise.all(output)];
		isDone = true;
		return { ...respond(node, 200), workflowData };
	} finally {
		execution.finishResume(isDone);
		const taskId = items.map(suspendedTaskId).find((id) => id !== undefined);
		if (isDone && taskId) {
			const url = toResumeUrl(executionUrl);
			execution.setChecks(confirmResume(node, url, taskId, () => execution.confirm()));
		}
	}
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
 * The item of an ended task as it goes on. With On Error: Stop a failed one goes on too, since the
 * others wait in the same execution; otherwise it leaves as failed items do.
 */
async function takeUp(
	node: IWebhookFunctions,
	stored: SuspendedItem,
	index: number,
	execution: SuspendedExecution,
	limit: Limiter,
): Promise<INodeExecutionData> {
	const { json, pairedItem, binary } = stored;
	const task = execution.ended(suspendedTaskId(stored) ?? '');
	if (!task) return { json, pairedItem, binary };
	const { onError = 'stopWorkflow' } = node.getNode();
	const failure = onError === 'stopWorkflow' ? undefined : findTaskError(task);
	if (failure) return { ...failureToItem({ error: failure, index }), pairedItem };
	return await taskToItem(node, task, outputOptionsOf(node, stored), { limit }).then(
		(item) => ({ ...item, pairedItem }),
		(error: unknown) => ({ ...failureToItem({ error, index }), pairedItem }),
	);
}
