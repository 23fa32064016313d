import type { IExecuteFunctions } from 'n8n-workflow';
import { withoutCancelSignal, createClient } from '../../gateway/client';
import { cancelTask } from '../../gateway/tasks/api';
import type { Run } from '../operation';

/**
 * Waits for a task, and cancels it at the gateway when the user stops the run meanwhile and wants that.
 * The stop ends the wait at once; the cancel follows on its own, and its outcome changes nothing here.
 */
export async function withCancelOnStop<Done>(
	wait: Promise<Done>,
	taskId: string,
	isWanted: boolean,
	{ context, client }: Run,
): Promise<Done> {
	return await wait.catch((error: unknown) => {
		if (isWanted && client.signal?.aborted) void cancel(context, taskId);
		throw error;
	});
}

async function cancel(host: IExecuteFunctions, taskId: string): Promise<void> {
	const client = createClient(withoutCancelSignal(host), { concurrency: 1 });
	await cancelTask(client, taskId).catch((error: unknown) => {
		host.logger.warn(
			`The task ${taskId} could not be cancelled: ${error instanceof Error ? error.message : 'no reply'}`,
		);
	});
}
