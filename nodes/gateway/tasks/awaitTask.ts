import type { GatewayClient } from '../client';
import { delay } from '../delay';
import { GatewayError, withDetails } from '../errors';
import { getTask } from './api';
import type { PollCoordinator } from './pollCoordinator';
import { nextPollDelay } from './pollInterval';
import { hasEnded, type Task } from './schema';

export interface PollOptions {
	/** Milliseconds after which the task is returned in its current state. */
	timeoutMs: number;
	/** Longest delay between two polls, in milliseconds. */
	longestMs: number;
	/** When the task was submitted, Unix milliseconds; where it is not known, the gateway's own `created_at` counts. */
	submittedAt?: number;
}

/** Share of a delay that is left to chance, so that tasks submitted together are not all polled together. */
const JITTER = 0.2;
/** How often a progress must have moved to be believed: some gateways say ten percent until the end. */
const MOVES = 2;

/** Milliseconds between two polls while nothing is known of a task, because none of them was answered. */
const UNKNOWN_STATE_MS = 5_000;

/**
 * Polls a task until it has ended or the time is up, and returns its last known state either way: a
 * poll that fails is not a task that failed. Only a refusal (wrong key, unknown ID) and the user's
 * stop end the wait early, as an error that carries the task ID; so does a gateway that answers no
 * poll at all of a task of which only the ID is known.
 */
export async function awaitTask(
	client: GatewayClient,
	start: Task | string,
	options: PollOptions,
	coordinator: PollCoordinator,
): Promise<Task> {
	const { clock, signal } = client.context;
	const end = clock.now() + options.timeoutMs;
	const task = typeof start === 'string' ? await firstPoll(client, start, end) : start;
	const submittedAt = options.submittedAt ?? createdAtOf(task, clock.now());
	let last = task;
	let [moves, progressSeenAt] = [0, 0];
	while (!hasEnded(last)) {
		const model = last.model ?? '';
		const { progress } = last;
		const wanted = nextPollDelay({
			elapsed: clock.now() - submittedAt,
			progress,
			progressSeenAt: moves >= MOVES ? progressSeenAt : undefined,
			expected: coordinator.expected(model),
			longest: options.longestMs,
		});
		const ms = Math.min(wanted * (1 - JITTER * Math.random()), end - clock.now());
		if (ms <= 0) return last;
		try {
			await coordinator.wait(model, submittedAt, ms, signal);
			const polled = await getTask(client, task.taskId, end);
			if (polled.progress > progress)
				[moves, progressSeenAt] = [moves + 1, clock.now() - submittedAt];
			last = { ...polled, held: polled.held ?? last.held };
		} catch (error) {
			if (endsWait(error)) throw withDetails(error, { task_id: task.taskId, billed: undefined });
			const { retry_after = 0 } = (error as GatewayError).details;
			const rest = Math.min(retry_after * 1000, end - clock.now());
			await delay(clock, Math.max(0, rest), signal).catch((stop: unknown) => {
				throw withDetails(stop, { task_id: task.taskId });
			});
		}
	}
	if (last !== task) coordinator.noteEnd(last.model ?? '', clock.now() - submittedAt);
	return last;
}

/** The state of a task of which only the ID is known. */
async function firstPoll(client: GatewayClient, taskId: string, end: number): Promise<Task> {
	const { clock, signal } = client.context;
	for (;;) {
		try {
			return await getTask(client, taskId, end);
		} catch (error) {
			if (endsWait(error) || clock.now() + UNKNOWN_STATE_MS >= end)
				throw withDetails(error, { task_id: taskId });
			await delay(clock, UNKNOWN_STATE_MS, signal).catch((stop: unknown) => {
				throw withDetails(stop, { task_id: taskId });
			});
		}
	}
}

/** A refused poll gets the same answer for ever; anything else may pass while the task goes on. */
const endsWait = (error: unknown): boolean =>
	!(error instanceof GatewayError) || error.isRefused || error.code === 'stopped';

/** By the gateway's clock; a clock that runs ahead of ours makes the task one of now. */
function createdAtOf({ createdAt }: Task, now: number): number {
	return Math.min(now, Date.parse(createdAt ?? '') || now);
}
