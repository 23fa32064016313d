import { cancelTask, postTask, type Submission } from '../../gateway/tasks/api';
import { createClientAfterStop } from '../../n8n/gatewayContext';
import type { Run } from '../operation';
import { idempotencyKeys } from './taskKey';

/**
 * Waits for a task, and cancels it at the gateway when the user stops the run meanwhile and wants that.
 * The stop ends the wait at once; the cancel follows on its own, and its outcome changes nothing here.
 */
export async function withCancelOnStop<T>(
	wait: Promise<T>,
	taskId: string,
	isWanted: boolean,
	run: Run,
): Promise<T> {
	return await wait.catch((error: unknown) => {
		if (isWanted && run.client.context.signal?.aborted)
			inBackground(run, `The task ${taskId}`, async () => {
				await cancelTask(createClientAfterStop(run.context), taskId);
			});
		throw error;
	});
}

/**
 * Cancels a task whose submission was under way when the user stopped the run: the key gives its ID,
 * whether the gateway had received the request or not.
 */
export function cancelSubmittedOnStop(submission: Submission, run: Run): void {
	inBackground(run, 'A task whose submission was under way', async () => {
		const client = createClientAfterStop(run.context);
		const idempotencyKey = idempotencyKeys.current(submission.idempotencyKey);
		const { task } = await postTask(client, { ...submission, idempotencyKey, preferSeconds: 0 });
		await cancelTask(client, task.taskId);
		run.context.logger.info(`Generation Gateway: cancelled ${task.taskId} after the stop`);
	});
}

function inBackground({ context }: Run, what: string, work: () => Promise<void>): void {
	work().catch((error: unknown) => {
		const reason = error instanceof Error ? error.message : 'no response';
		context.logger.warn(`Generation Gateway: ${what} could not be cancelled: ${reason}`);
	});
}
