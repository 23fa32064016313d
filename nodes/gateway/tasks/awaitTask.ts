import { hasEnded, type Task } from './schema';
import type { GatewayClient } from '../client';
import { GatewayError } from '../errors';
import { nextPollDelay } from './pollInterval';
import { delay } from '../delay';
import type { PollCoordinator } from './pollCoordinator';
import { getTask } from './api';

export interface PollOptions {
	/** Milliseconds after which the task is handed over as it stands. */
	timeoutMs: number;
	/** Longest pause between two looks, in milliseconds. */
	longestMs: number;
	/** When the task was submitted, Unix milliseconds; where it is not known, the gateway's own `created_at` is asked. */
	since?: number;
}

/** Share of a pause that is left to chance, so that tasks submitted together are not all looked at together. */
const CHANCE = 0.2;
/** How often a progress must have moved to be believed: some gateways say ten percent until the end. */
const MOVES = 2;

/**
 * Looks at a task until it has ended or the time is up, and hands over its last known state either way:
 * a look that does not work is not a task that failed. Only a refusal (wrong key, unknown ID) and the
 * user's stop end the wait early, as an issue that carries the task id.
 */
export async function awaitTask(
	client: GatewayClient,
	task: Task,
	pollOptions: PollOptions,
	coordinator: PollCoordinator,
): Promise<Task> {
	const end = Date.now() + pollOptions.timeoutMs;
	const since = pollOptions.since ?? birthOf(task);
	let last = task;
	let [moves, seenAt] = [0, 0];
	while (!hasEnded(last)) {
		const model = last.model ?? '';
		const { progress } = last;
		const elapsed = Date.now() - since;
		const wanted = nextPollDelay({
			elapsed,
			progress,
			seenAt: moves >= MOVES ? seenAt : undefined,
			expected: coordinator.expected(model),
			longest: pollOptions.longestMs,
		});
		const ms = Math.min(wanted * (1 - CHANCE * Math.random()), end - Date.now());
		if (ms <= 0) return last;
		try {
			await coordinator.wait(model, since, ms, client.signal);
			const seen = await getTask(client, task.taskId, end);
			if (seen.progress > progress) [moves, seenAt] = [moves + 1, Date.now() - since];
			last = { ...seen, held: seen.held ?? last.held };
		} catch (error) {
			if (!(error instanceof GatewayError) || !error.details.retry) throw withTask(error, task);
			const rest = Math.min((error.details.retry_after ?? 0) * 1000, end - Date.now());
			if (rest > 0)
				await delay(rest, client.signal).catch((stop: unknown) =>
					Promise.reject(withTask(stop, task)),
				);
		}
	}
	if (last !== task) coordinator.ended(last.model ?? '', Date.now() - since);
	return last;
}

/** By the gateway's clock; a clock that runs ahead of ours makes the task one of now. */
function birthOf({ createdAt }: Task): number {
	return Math.min(Date.now(), Date.parse(createdAt ?? '') || Infinity);
}

const withTask = (error: unknown, { taskId }: Task) =>
	error instanceof GatewayError ? error.with({ task_id: taskId }) : error;
