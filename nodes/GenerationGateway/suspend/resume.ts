import {
	sleep,
	type IDataObject,
	type INodeExecutionData,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { createClient, type GatewayClient } from '../../gateway/client';
import { downloadResults, type RunLimited } from '../../n8n/binary/download';
import { createLimiter } from '../../gateway/concurrency';
import { getTask } from '../../gateway/tasks/api';
import { taskToJson } from '../../n8n/items/task';
import { hasEnded, readTask, type Task } from '../../gateway/tasks/schema';
import { failureToItem } from '../../n8n/items/failure';

/** A caller waits for the answer; a task that cannot be looked up now is looked up at the next callback. */
const LOOKING = {
	concurrency: 10,
	retry: { attempts: 2, budgetMs: 3_000, firstPauseMs: 200 },
	longestMs: 4_000,
};
/** Pause between two looks at everything, at least and for each task that is still open. */
const PAUSE_MS = 500;
const PAUSE_PER_TASK_MS = 20;
/**
 * Within this time n8n has resumed, or has not: after a crash it may be mending the execution just now and
 * refuse. Who calls meanwhile is asked to come again, so that one of them finds it parked or gone on.
 */
const RESUMING_MS = 1_500;
const MOST_WATCHES = 5_000;

/** What this process knows of a parked execution. Another process, or this one after a restart, looks again. */
interface Watch {
	ended: Map<string, Task>;
	lastLook: number;
	isPlanned: boolean;
	/** The tasks with which the execution has just gone on: a second resume would be answered 500 by n8n. */
	over?: { ids: string; until: number };
}

const watches = new Map<string, Watch>();

function watchOf(executionId: string): Watch {
	const watch = watches.get(executionId) ?? {
		ended: new Map<string, Task>(),
		lastLook: 0,
		isPlanned: false,
	};
	watches.set(executionId, watch);
	if (watches.size > MOST_WATCHES) watches.delete(watches.keys().next().value!);
	return watch;
}

/** The items the node parked, in order: the last known state of every task it waits for. */
function parkedItems(host: IWebhookFunctions): INodeExecutionData[] {
	const stored = host.evaluateExpression(
		'{{ JSON.stringify($input.all().map(({ json, pairedItem, binary }) => ({ json, pairedItem, binary }))) }}',
	);
	return JSON.parse(String(stored)) as INodeExecutionData[];
}

const parked = (host: IWebhookFunctions, status: number): IWebhookResponseData => {
	host
		.getResponseObject()
		.status(status)
		.json({ received: status === 200 });
	return { noWebhookResponse: true };
};

/**
 * Answers a callback to a parked execution. It is only a hint that something has ended: the tasks are
 * fetched with the credential, and the execution goes on when all have ended. Calls that come together
 * share one look; the last of them is always followed by one, in whichever process it arrives.
 */
export async function resumeExecution(host: IWebhookFunctions): Promise<IWebhookResponseData> {
	const watch = watchOf(host.getExecutionId());
	if (watch.isPlanned) return parked(host, 200);
	const items = parkedItems(host);
	const ids = items.map(({ json }) => readTask(json)?.taskId).filter((id) => id !== undefined);
	const isOver = () => watch.over?.ids === ids.join() && Date.now() < watch.over.until;
	if (isOver()) return parked(host, 503);
	const open = () => [...new Set(ids)].filter((id) => !watch.ended.has(id));

	watch.isPlanned = true;
	const pause = Math.max(PAUSE_MS, open().length * PAUSE_PER_TASK_MS);
	await sleep(Math.max(0, watch.lastLook + pause - Date.now()));
	watch.isPlanned = false;
	watch.lastLook = Date.now();

	const looked = await look(createClient(host, LOOKING), open(), watch);
	if (open().length) return parked(host, looked ? 200 : 503);
	if (isOver()) return parked(host, 503);
	watch.over = { ids: ids.join(), until: Infinity };
	try {
		const turns: RunLimited = createLimiter(LOOKING.concurrency);
		const workflowData = [await Promise.all(items.map((item) => result(host, item, watch, turns)))];
		watch.ended.clear();
		return { workflowData };
	} finally {
		watch.over.until = Date.now() + (watch.ended.size ? 0 : RESUMING_MS);
	}
}

/** Fetches tasks and notes those that have ended; false when none could be fetched. */
async function look(client: GatewayClient, ids: string[], { ended }: Watch): Promise<boolean> {
	const found = await Promise.allSettled(ids.map((id) => getTask(client, id)));
	for (const outcome of found)
		if (outcome.status === 'fulfilled' && hasEnded(outcome.value))
			ended.set(outcome.value.taskId, outcome.value);
	return !found.length || found.some(({ status }) => status === 'fulfilled');
}

/** A task's item as it goes on: also a failed one, since the others are waiting in the same execution. */
async function result(
	host: IWebhookFunctions,
	stored: INodeExecutionData,
	{ ended }: Watch,
	turns: RunLimited,
): Promise<INodeExecutionData> {
	const { download, simplify = true } = host.getNodeParameter('options', {}) as {
		download?: string;
		simplify?: boolean;
	};
	const { json, pairedItem, binary: files } = stored;
	const task = ended.get(readTask(json)?.taskId ?? '');
	if (!task || files) return stored;
	const item: INodeExecutionData = {
		json: (simplify ? taskToJson(task) : task.raw) as IDataObject,
		pairedItem,
	};
	if (!download || task.status !== 'completed') return item;
	return await downloadResults(host, task, download, { limit: turns }).then(
		(binary) => ({ ...item, binary }),
		(error: unknown) => ({
			...failureToItem(
				{ error, index: 0 },
				{ task_id: task.taskId, urls: task.urls, billed: task.cost },
			),
			pairedItem,
		}),
	);
}
