import {
	NodeOperationError,
	type IDataObject,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { BoundedMap } from '../gateway/boundedMap';
import { findNamedTasks } from '../gateway/callbacks/taskIds';
import type { Task } from '../gateway/tasks/schema';
import { answerCallback } from '../n8n/answerCallback';
import { CredentialCache } from '../n8n/credential';
import { createNodeClient } from '../n8n/gatewayContext';
import { scopeOf } from '../n8n/processedData';
import { wallTime } from '../n8n/systemClock';
import { keyOf, queue } from './callbackQueue';
import { confirmTasks } from './confirm';
import { hasSecret } from './secret';
import { forget, isSeen, MOST_TRIGGERS, see } from './seen';

/** The caller waits for the answer. What takes longer is answered with 503, so that it calls again. */
const CLIENT = {
	concurrency: 5,
	retry: { attempts: 3, budgetMs: 4_000, firstDelayMs: 200 },
	longestMs: 4_000,
	longestWaitMs: 10_000,
};
/** Outputs expire after 24 hours (spec section 1.7). */
const STALE_MS = 24 * 3_600_000;

/**
 * Starts the workflow for tasks that have ended, by the gateway's word. The answer is 200 when nothing is
 * left to do: the tasks have started the workflow, are not wanted or too old, or there are none. Otherwise
 * the sender is to call again: a task still runs, is unknown or cannot be fetched, or the queue is full.
 */
export async function handleCallback(node: IWebhookFunctions): Promise<IWebhookResponseData> {
	if (!hasSecret(node)) return answerCallback(node, 200);
	const isTest = node.getMode() === 'manual';
	const events = readEvents(node);
	const scope = scopeOf(node);
	const all = findNamedTasks(await readPayload(node));
	const named = all.filter(({ id }) => isTest || !isSeen(scope, id));
	if (!named.length) return answerCallback(node, 200);
	const found = await queue.take(async () => {
		shareCredential(node, scope);
		// Its time begins now, not while the callback waited.
		const client = createNodeClient(node, CLIENT);
		const hasOthers = named.length < all.length;
		const { ended, isComplete, problems } = await confirmTasks(client, named, hasOthers);
		// Nothing else tells the user why no workflow starts.
		for (const problem of problems)
			node.logger.warn(`Generation Gateway Trigger: a callback cannot be confirmed. ${problem}`);
		// The next call is about the others, so those that are not wanted are seen, too.
		const fresh = ended.filter(({ taskId }) => isTest || see(scope, taskId));
		const chosen = fresh.filter(({ status }) => events.includes(status));
		for (const { taskId } of chosen.filter(isStale))
			node.logger.warn(
				`Generation Gateway Trigger: ${taskId} starts no workflow, since it ended more than 24 hours ago. If it did not, check the clock of this n8n.`,
			);
		const wanted = chosen.filter((task) => !isStale(task));
		const ids = wanted.map(({ taskId }) => taskId);
		if (ids.length) queue.addRun(keyOf(scope, ids), () => forget(scope, ids));
		return { wanted, ids, isComplete };
	});
	if (!found?.wanted.length) return answerCallback(node, found?.isComplete ? 200 : 503);
	const { wanted, ids, isComplete } = found;
	const workflowData = [wanted.map((task) => ({ json: toJson(task) }))];
	if (!isComplete) return { ...answerCallback(node, 503), workflowData };
	// n8n answers like this once it has taken the run. When it could not, the next call must start it.
	const response = node.getResponseObject();
	response.once?.('finish', () => {
		if (response.statusCode >= 300) forget(scope, ids);
	});
	return { webhookResponse: { received: true }, workflowData };
}

/** What the gateway said of the task. It may name another ID than the one that it was asked for. */
function toJson({ raw, taskId }: Task): IDataObject {
	const json = raw as IDataObject;
	return 'task_id' in json ? { ...json, task_id: taskId } : json;
}

/** By scope. */
const caches = new BoundedMap<string, CredentialCache>(MOST_TRIGGERS);

/** Callbacks share a credential for some seconds: n8n takes longer to read it than the gateway to answer. */
function shareCredential(node: IWebhookFunctions, scope: string): void {
	const key = `${scope} ${JSON.stringify(node.getNode().credentials ?? {})}`;
	caches.getOrCreate(key, () => new CredentialCache()).attach(node);
}

/** The body in any content type. n8n may have left it unread. */
async function readPayload(node: IWebhookFunctions): Promise<unknown> {
	const request = node.getRequestObject() as { readRawBody?(): Promise<void>; rawBody?: unknown };
	await request.readRawBody?.().catch(() => undefined);
	const { rawBody } = request;
	const text = rawBody instanceof Uint8Array ? new TextDecoder().decode(rawBody) : '';
	return [node.getBodyData(), text, node.getQueryData()];
}

/** Throws before a task counts as seen, so that it starts the workflow once Events is corrected. */
function readEvents(node: IWebhookFunctions): string | string[] {
	const events = node.getNodeParameter('events', []);
	if (typeof events === 'string' || Array.isArray(events)) return events as string | string[];
	throw new NodeOperationError(node.getNode(), 'Events must be a list, e.g. completed and failed');
}

const isStale = ({ completedAt = '' }: Task): boolean =>
	wallTime() - Date.parse(completedAt) > STALE_MS;
