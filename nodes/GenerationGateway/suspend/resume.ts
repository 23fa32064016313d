import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { findTaskIds } from '../../gateway/callbacks/taskIds';
import type { GatewayClient } from '../../gateway/client';
import type { Task } from '../../gateway/tasks/schema';
import { answerCallback } from '../../n8n/answerCallback';
import { createNodeClient } from '../../n8n/gatewayContext';
import { wallTime } from '../../n8n/systemClock';
import { ExecutionRecord } from '../account/executionRecord';
import { isForOtherTasks } from './ownCall';
import type { Suspension } from './ownChecks';
import { readStoredExecution, type Period, type StoredExecution } from './storedSuspension';
import { SuspendedExecution } from './suspendedExecution';
import { takeUpAll } from './takeUp';

/** The caller waits for the answer. What takes longer is answered with 503, so that it calls again. */
const CLIENT = {
	concurrency: 10,
	retry: { attempts: 2, budgetMs: 3_000, firstDelayMs: 200 },
	longestMs: 4_000,
	longestWaitMs: 10_000,
};
/** The last chance to see the state of a task. */
const LAST_POLL = { attempts: 20, budgetMs: 60_000, firstDelayMs: 200 };

/** The last poll takes half of the time that is left, a minute at most. */
function createClient(node: IWebhookFunctions, period: Period | undefined): GatewayClient {
	const now = wallTime();
	const onTask = (task: Task) => ExecutionRecord.observe(node.getExecutionId(), task);
	if (!period || now < period.closesAt) return createNodeClient(node, CLIENT, onTask);
	const budgetMs = Math.min(LAST_POLL.budgetMs, Math.max(0, period.until - now) / 2);
	const retry = { ...LAST_POLL, budgetMs };
	return createNodeClient(node, { ...CLIENT, retry, longestWaitMs: budgetMs }, onTask);
}

/** Answers a callback to a suspended execution. It goes on when all tasks have ended, or its time is nearly up. */
export async function resumeExecution(node: IWebhookFunctions): Promise<IWebhookResponseData> {
	const execution = SuspendedExecution.of(node.getExecutionId());
	if (execution.isScheduled) return answerCallback(node, 200);
	const { epoch } = execution;
	execution.credential.attach(node);
	const take = async (taskIds: readonly string[], period: Period | undefined) =>
		await execution.take(createClient(node, period), taskIds, { epoch, period });
	// n8n takes long to evaluate the stored items. While a known task runs, they are not needed.
	const body = node.getBodyData();
	const known = execution.knownTaskIds(findTaskIds(body));
	let outcome = known && (await take(known, execution.period));
	if (outcome !== 'received') {
		const stored = readStoredExecution(node);
		const { taskIds, period } = stored;
		const isSame = known?.join() === taskIds.join();
		// The execution has gone on, and was suspended again for other tasks.
		if (outcome === 'resume' && !isSame) execution.finishResume(false);
		if (isForOtherTasks(body, taskIds)) return answerCallback(node, 410);
		if (!isSame) outcome = await take(taskIds, period);
		if (outcome === 'resume' && (await execution.renewCredential(node)))
			return await resume(node, stored, execution);
		if (period && !execution.isChecked) execution.startChecks(node, stored as Suspension);
	}
	return answerCallback(node, outcome === 'received' ? 200 : 503);
}

/**
 * Lets the execution go on. The caller gets its answer before n8n starts it, since n8n refuses one of two
 * processes that resume at once. After the end n8n goes on by itself (see HOST_TIMER_MS).
 */
async function resume(
	node: IWebhookFunctions,
	stored: StoredExecution,
	execution: SuspendedExecution,
): Promise<IWebhookResponseData> {
	const { items, taskIds, period } = stored;
	let isDone = false;
	try {
		const workflowData = [await takeUpAll(node, items, execution, period?.until)];
		isDone = true;
		if (period && wallTime() >= period.until) return answerCallback(node, 200);
		return { ...answerCallback(node, 200), workflowData };
	} finally {
		execution.finishResume(isDone);
		if (isDone && taskIds.length && period) execution.confirmResume(node, { ...stored, period });
	}
}
