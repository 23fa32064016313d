import { createHash, timingSafeEqual } from 'crypto';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { findTaskIds } from '../gateway/callbacks/taskIds';
import type { GatewayClient } from '../gateway/client';
import { createLimiter } from '../gateway/concurrency';
import { delay } from '../gateway/delay';
import { GatewayError } from '../gateway/errors';
import { getTask } from '../gateway/tasks/api';
import { hasEnded, readTask, type Task } from '../gateway/tasks/schema';
import { createNodeClient } from '../n8n/gatewayContext';
import { failureToItem } from '../n8n/items/failure';
import { taskToItem, type OutputOptions } from '../n8n/items/task';
import { readOption, simplify, split } from '../n8n/options';
import { systemClock } from '../n8n/systemClock';
import { isFirst, keep, note } from './seen';

/** A caller waits for the answer: fetch the task within seconds, or ask to be called again. */
const CLIENT = {
	concurrency: 5,
	retry: { attempts: 3, budgetMs: 4_000, firstDelayMs: 200 },
	longestMs: 4_000,
};
/** A callback may be faster than the status of its task: it is fetched again after these milliseconds. */
const POLL_DELAYS_MS = [500, 1_500, 2_000];
/** Outputs expire after 24 hours (spec section 1.7), and so does what a callback can still be about. */
const STALE_MS = 24 * 3_600_000;

/**
 * Starts the workflow for the tasks that the gateway confirms to have ended. Whatever else comes (a
 * wrong secret, an unknown or running task, a repeat, an event that is not wanted) gets the same answer
 * and starts nothing. When a task cannot be fetched now, for whatever reason, the answer asks the
 * sender to come again.
 */
export async function handleCallback(node: IWebhookFunctions): Promise<IWebhookResponseData> {
	if (!hasSecret(node)) return respond(node, 200);
	let tasks: Task[];
	try {
		tasks = await findEndedTasks(node);
	} catch {
		return respond(node, 503);
	}
	const wanted = tasks.filter((task) => isWanted(node, task) && isNew(node, task));
	if (!wanted.length) return respond(node, 200);
	const items = (await Promise.all(wanted.map((task) => toItems(node, task)))).flat();
	return { ...respond(node, 200), workflowData: [items] };
}

/** Answers the caller; n8n then starts the workflow if there are items for it. */
const respond = (node: IWebhookFunctions, status: number): IWebhookResponseData => {
	node
		.getResponseObject()
		.status(status)
		.json({ received: status === 200 });
	return { noWebhookResponse: true };
};

const digest = (text: string) => createHash('sha256').update(text).digest();

/** n8n finds the node by its path already; this compares the last part without telling by time how much of it fits. */
function hasSecret(node: IWebhookFunctions): boolean {
	const secret = String(node.getNodeParameter('secret', '') ?? '');
	if (!secret) return true;
	const given = node.getRequestObject().path.split('/').pop() ?? '';
	return timingSafeEqual(digest(given), digest(encodeURI(secret)));
}

/** What the caller sent, whatever type it says it is. */
function readPayload(node: IWebhookFunctions): unknown {
	const { rawBody } = node.getRequestObject() as { rawBody?: unknown };
	const text = rawBody instanceof Uint8Array ? new TextDecoder().decode(rawBody) : '';
	return [node.getBodyData(), text, node.getQueryData()];
}

/** The tasks the callback may be about that exist on this account and have ended. */
async function findEndedTasks(node: IWebhookFunctions): Promise<Task[]> {
	const client = createNodeClient(node, CLIENT);
	const ids = findTaskIds(readPayload(node));
	const tasks = await Promise.all(ids.map((id) => findTask(client, id)));
	const existing = tasks.filter((task) => task !== undefined);
	for (const ms of POLL_DELAYS_MS) {
		if (!existing.length || existing.some(hasEnded)) break;
		await delay(systemClock, ms);
		for (const [index, task] of existing.entries())
			existing[index] = (await findTask(client, task.taskId)) ?? task;
	}
	return existing.filter(hasEnded);
}

/** The task, or nothing where this account has none of this ID. */
async function findTask(client: GatewayClient, id: string): Promise<Task | undefined> {
	return await getTask(client, id).catch((error: unknown) => {
		if (error instanceof GatewayError && error.code === 'not_found') return undefined;
		throw error;
	});
}

function isWanted(node: IWebhookFunctions, { status, completedAt }: Task): boolean {
	const isStale =
		completedAt !== undefined && systemClock.now() - Date.parse(completedAt) > STALE_MS;
	return !isStale && (node.getNodeParameter('events', []) as string[]).includes(status);
}

/** Whether the task has not started the workflow yet; from now on it has. A test run may be repeated. */
function isNew(node: IWebhookFunctions, { taskId }: Task): boolean {
	if (node.getMode() === 'manual') return true;
	const saved = node.getWorkflowStaticData('node');
	const scope = scopeOf(node);
	if (isFirst(saved, scope, taskId)) return true;
	keep(saved, scope);
	return false;
}

const scopeOf = (node: IWebhookFunctions | IExecuteFunctions) =>
	`${node.getWorkflow().id} ${node.getNode().id}`;

/**
 * Notes within the run which tasks it is about. What a webhook that starts a run writes into static data,
 * n8n forgets when it builds the run from the same object; what the run writes, it saves at the end.
 */
export function noteRun(node: IExecuteFunctions): void {
	if (node.getMode() === 'manual') return;
	const ids = node.getInputData().map(({ json }) => readTask(json)?.taskId);
	note(
		node.getWorkflowStaticData('node'),
		scopeOf(node),
		ids.filter((id) => id !== undefined),
	);
}

/** A task whose file cannot be fetched is paid all the same: the workflow starts, and its item says what happened. */
async function toItems(node: IWebhookFunctions, task: Task): Promise<INodeExecutionData[]> {
	const options = node.getNodeParameter('options', {}) as IDataObject;
	const outputOptions: OutputOptions = {
		download: options.download as string | undefined,
		simplify: readOption(simplify, options),
	};
	const isSplit = readOption(split, options) && task.urls.length > 1;
	const parts = isSplit ? task.urls.map((url) => ({ ...task, urls: [url] })) : [task];
	const limit = createLimiter(CLIENT.concurrency);
	return await Promise.all(
		parts.map(async (part): Promise<INodeExecutionData> => {
			try {
				return { ...(await taskToItem(node, part, outputOptions, { limit })) };
			} catch (error) {
				return { json: failureToItem({ error, index: 0 }).json };
			}
		}),
	);
}
