import { createHash, timingSafeEqual } from 'crypto';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { downloadResults } from '../n8n/binary/download';
import { createClient } from '../gateway/client';
import { GatewayError } from '../gateway/errors';
import { getTask } from '../gateway/tasks/api';
import { findTaskIds } from '../gateway/callbacks/taskIds';
import { taskToJson } from '../n8n/items/task';
import { hasEnded, readTask, type Task } from '../gateway/tasks/schema';
import { isFirst, keep, note } from './seen';

/** A caller waits for the answer: look up the task within seconds, or ask to be called again. */
const LOOKING = {
	concurrency: 1,
	retry: { attempts: 3, budgetMs: 4_000, firstPauseMs: 200 },
	longestMs: 4_000,
};
/** Outputs end after 24 hours (spec section 1.7), and so does what a callback can still be about. */
const STALE_MS = 24 * 3_600_000;

interface Options {
	download?: string;
	split?: boolean;
	simplify?: boolean;
}

/**
 * Starts the workflow for a task that the gateway confirms to have ended. Whatever else comes (a wrong
 * secret, an unknown or running task, a repeat, an event that is not wanted) gets the same answer and
 * starts nothing. When the task cannot be looked up now, the answer asks the sender to come again.
 */
export async function handleCallback(host: IWebhookFunctions): Promise<IWebhookResponseData> {
	if (!hasSecret(host)) return answered(host, 200);
	return await confirmedStart(host).catch((error: unknown) => {
		if (error instanceof GatewayError) return answered(host, 503);
		throw error;
	});
}

async function confirmedStart(host: IWebhookFunctions): Promise<IWebhookResponseData> {
	const task = await confirmed(host);
	return task && isWanted(host, task) ? await started(host, task) : answered(host, 200);
}

const answered = (host: IWebhookFunctions, status: number): IWebhookResponseData => {
	host
		.getResponseObject()
		.status(status)
		.json({ received: status === 200 });
	return { noWebhookResponse: true };
};

const digest = (text: string) => createHash('sha256').update(text).digest();

/** n8n finds the node by its path already; this holds for the last part without telling by time how much of it fits. */
function hasSecret(host: IWebhookFunctions): boolean {
	const secret = String(host.getNodeParameter('secret', '') ?? '');
	if (!secret) return true;
	const given = host.getRequestObject().path.split('/').pop() ?? '';
	return timingSafeEqual(digest(given), digest(encodeURI(secret)));
}

/** The first of the tasks the callback may be about that exists on this account and has ended. */
async function confirmed(host: IWebhookFunctions): Promise<Task | undefined> {
	const client = createClient(host, LOOKING);
	for (const id of findTaskIds([host.getBodyData(), host.getQueryData()])) {
		const task = await getTask(client, id).catch(absent);
		if (task && hasEnded(task)) return task;
	}
	return undefined;
}

function absent(error: unknown): undefined {
	if (error instanceof GatewayError && !error.details.retry && error.details.http_status !== 401)
		return undefined;
	throw error;
}

function isWanted(host: IWebhookFunctions, { status, completedAt }: Task): boolean {
	const isStale = completedAt !== undefined && Date.now() - Date.parse(completedAt) > STALE_MS;
	return !isStale && (host.getNodeParameter('events', []) as string[]).includes(status);
}

async function started(host: IWebhookFunctions, task: Task): Promise<IWebhookResponseData> {
	const isTest = host.getMode() === 'manual';
	const saved = host.getWorkflowStaticData('node');
	const scope = scopeOf(host);
	if (!isTest && !isFirst(saved, scope, task.taskId)) {
		keep(saved, scope);
		return answered(host, 200);
	}
	return { webhookResponse: { received: true }, workflowData: [await itemsOf(host, task)] };
}

const scopeOf = (host: IWebhookFunctions | IExecuteFunctions) =>
	`${host.getWorkflow().id} ${host.getNode().id}`;

/**
 * Notes within the run which tasks it is about. What a webhook that starts a run writes into static data,
 * n8n forgets when it builds the run from the same object; what the run writes, it saves at the end.
 */
export function noteRun(host: IExecuteFunctions): void {
	if (host.getMode() === 'manual') return;
	const ids = host.getInputData().map(({ json }) => readTask(json)?.taskId);
	note(
		host.getWorkflowStaticData('node'),
		scopeOf(host),
		ids.filter((id) => id !== undefined),
	);
}

async function itemsOf(host: IWebhookFunctions, task: Task): Promise<INodeExecutionData[]> {
	const { download, split, simplify = true } = host.getNodeParameter('options', {}) as Options;
	const parts =
		split && task.urls.length > 1 ? task.urls.map((url) => ({ ...task, urls: [url] })) : [task];
	return await Promise.all(
		parts.map(async (part) => {
			const json = (simplify ? taskToJson(part) : task.raw) as IDataObject;
			if (!download || part.status !== 'completed') return { json };
			return await downloadResults(host, part, download).then(
				(binary) => ({ json, binary }),
				(error: unknown) => ({ json: withoutFile(part, error) }),
			);
		}),
	);
}

/** A task whose file cannot be fetched is paid all the same: the workflow starts, and its item says what happened. */
function withoutFile({ taskId: task_id, urls, cost: billed }: Task, error: unknown): IDataObject {
	if (!(error instanceof GatewayError)) throw error;
	return {
		error: error.message,
		message: error.hint,
		details: { ...error.details, task_id, urls, billed },
	};
}
