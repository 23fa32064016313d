import type { Logger } from 'n8n-workflow';
import { onAbort } from '../../gateway/abort';
import { BoundedMap } from '../../gateway/boundedMap';
import type { GatewayClient } from '../../gateway/client';
import { cancelTask, postTask, type Submission, type SubmittedTask } from '../../gateway/tasks/api';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import { createClientAfterStop } from '../../n8n/gatewayContext';
import type { ConfirmClaim } from '../account/taskClaim';
import type { Run } from '../operation';

const MOST_CANCELLATIONS = 10_000;
/**
 * Tasks that stopped executions are cancelling, by ID. A Retry must not take them up. Each gives the task at the
 * end of its cancellation, or undefined where that has failed.
 */
export const cancellations = new BoundedMap<string, Promise<Task | undefined>>(MOST_CANCELLATIONS);

export const isStopped = ({ client }: Run): boolean => client.context.signal?.aborted === true;

/** Cancels the running tasks of a run when the user stops the execution. The returned function ends this. */
export function cancelOpenTasksOnStop(run: Run): () => void {
	return onAbort(run.client.context.signal, () => {
		run.record.stopped(run.openTasks.keys());
		for (const [taskId, confirmClaim] of run.openTasks) cancelAfterStop(taskId, run, confirmClaim);
	});
}

/**
 * Cancels the task when the user stops the execution, or now if that has happened. Not where another worker
 * has the claim.
 */
export function cancelTaskOnStop(taskId: string, run: Run, confirmClaim?: ConfirmClaim): void {
	if (isStopped(run)) cancelAfterStop(taskId, run, confirmClaim);
	else run.openTasks.set(taskId, confirmClaim);
}

function cancelAfterStop(taskId: string, run: Run, confirmClaim?: ConfirmClaim): void {
	inBackground(run, `The task ${taskId}`, async (client) => {
		if (confirmClaim && !(await confirmClaim())) return;
		await cancelStopped(client, run.context.logger, taskId);
	});
}

/**
 * Finds the task of a submission that was under way at the stop. The key gives its ID, whether the gateway
 * has received the request or not.
 */
export function findSubmittedAfterStop(
	submission: Submission,
	run: Run,
	onFound: (found: SubmittedTask) => unknown,
): void {
	inBackground(run, 'A task whose submission was under way', async (client) => {
		const again = { ...submission, until: undefined, veto: undefined };
		onFound(await postTask(client, again));
	});
}

/** Cancels a task after a stop, and logs the outcome. */
export async function cancelStopped(
	client: GatewayClient,
	logger: Logger,
	taskId: string,
): Promise<Task> {
	const cancellation = cancelTask(client, taskId);
	const end = cancellation.catch(() => undefined).finally(() => cancellations.delete(taskId));
	cancellations.set(taskId, end);
	const task = await cancellation;
	const level = hasEnded(task) ? 'info' : 'warn';
	const outcome =
		task.status === 'cancelled'
			? `cancelled ${taskId} after the stop`
			: `could not cancel ${taskId} after the stop: it is ${task.status}`;
	logger[level](`Generation Gateway: ${outcome}`);
	return task;
}

function inBackground(
	run: Run,
	what: string,
	work: (client: GatewayClient) => Promise<unknown>,
): void {
	const { context } = run.client;
	const client = run.share('clientAfterStop', () => createClientAfterStop(context));
	work(client).catch((error: unknown) => {
		const reason = error instanceof Error ? error.message : 'no response';
		run.context.logger.warn(`Generation Gateway: ${what} could not be cancelled: ${reason}`);
	});
}
