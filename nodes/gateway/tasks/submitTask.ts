import type { GatewayClient } from '../client';
import { postTask, type Submission, type SubmittedTask } from './api';
import type { RetiredKeys } from './idempotencyKeys';
import { hasNoOutput, type Task } from './schema';

/** After so many tasks without a result, the last one is returned. */
const MOST_SUCCESSORS = 5;
/** Rounding to seconds, and a slow network. */
const TOLERANCE_MS = 5_000;

/**
 * Submits a task, or finds the one that the same key made before. An older task that ended without a result
 * is replaced: `onRetired` is called, and may throw why it must not be. `cancellationOf` gives the end of a
 * task that is being cancelled.
 */
export async function submitTask(
	client: GatewayClient,
	submission: Submission,
	keys: RetiredKeys,
	onRetired: (task: Task) => void = () => undefined,
	cancellationOf: (taskId: string) => Promise<Task | undefined> | undefined = () => undefined,
): Promise<SubmittedTask> {
	const { idempotencyKey: key } = submission;
	for (let tries = 1; ; tries += 1) {
		const posted = await postTask(client, { ...submission, idempotencyKey: keys.use(key) });
		const cancellation = cancellationOf(posted.task.taskId);
		const task = (await cancellation) ?? posted.task;
		if (!endedWithoutResult(task)) return { ...posted, task };
		keys.retire(key, task);
		const isOlder = cancellation !== undefined || isOlderThanRequest(posted);
		if (!isOlder || tries > MOST_SUCCESSORS) return { ...posted, task };
		onRetired(task);
	}
}

/** Failed, cancelled or empty: refunded in full (spec section 1, point 5). */
export const endedWithoutResult = (task: Task): boolean =>
	task.status === 'failed' || task.status === 'cancelled' || hasNoOutput(task);

/** By the gateway's clock. */
export const isOlderThanRequest = ({ task: { createdAt }, requestedAt }: SubmittedTask): boolean =>
	createdAt !== undefined && Date.parse(createdAt) < requestedAt - TOLERANCE_MS;
