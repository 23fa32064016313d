import type { GatewayClient } from '../client';
import { postTask, type Submission, type SubmittedTask } from './api';
import type { IdempotencyKeys } from './idempotencyKeys';
import { hasNoOutput, type Task } from './schema';

/** How often a key may lead to tasks that ended without a result before the last one is returned. */
const MOST_SUCCESSORS = 5;
/** What rounding to seconds and a slow network may add to the age of a task made just now. */
const TOLERANCE_MS = 5_000;

export interface SubmitResult {
	task: Task;
	/** The key led to a task that was made before this request. */
	isReused: boolean;
}

/**
 * Submits a task, or finds the one that the same key made before. A task that had ended failed,
 * cancelled or empty before this request does not prevent a new one: the key moves on to a successor.
 * A task that ends so while the answer is awaited is returned, and the next submission of its key
 * moves on.
 */
export async function submitTask(
	client: GatewayClient,
	submission: Submission,
	keys: IdempotencyKeys,
): Promise<SubmitResult> {
	const { idempotencyKey: key } = submission;
	for (let turn = 1; ; turn += 1) {
		const posted = await postTask(client, { ...submission, idempotencyKey: keys.current(key) });
		const { task } = posted;
		const isReused = isOlderThanRequest(posted);
		if (!endedWithoutResult(task)) return { task, isReused };
		keys.retire(key, task.taskId);
		if (!isReused || turn > MOST_SUCCESSORS) return { task, isReused };
	}
}

/** Notes what a submitted task came to: one that ended without a result does not prevent the next try. */
export function noteResult(key: string, task: Task, keys: IdempotencyKeys): void {
	if (endedWithoutResult(task)) keys.retire(key, task.taskId);
}

const endedWithoutResult = (task: Task) =>
	task.status === 'failed' || task.status === 'cancelled' || hasNoOutput(task);

const isOlderThanRequest = ({ task: { createdAt }, requestedAt }: SubmittedTask) =>
	createdAt !== undefined && Date.parse(createdAt) < requestedAt - TOLERANCE_MS;
