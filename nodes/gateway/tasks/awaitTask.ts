import type { GatewayClient } from '../client';
import { delay } from '../delay';
import { withDetails, type GatewayError } from '../errors';
import { isPermanent, RefusedPolls } from '../refusedPolls';
import { getTask } from './api';
import type { AwaitedTask, PollCoordinator } from './pollCoordinator';
import { nextPollDelay } from './pollInterval';
import { hasEnded, type Task } from './schema';

export interface PollOptions {
	/** After this time the task is returned as it is. */
	timeoutMs: number;
	/** Longest time between two polls, in milliseconds. */
	longestMs: number;
	/** Unix milliseconds. Default: `created_at`. */
	submittedAt?: number;
	/** Called with each state. Returns whether the wait ends. */
	endsWith?: (task: Task) => boolean;
}

/** Random share of a delay, so that tasks submitted together are not polled together. */
const JITTER = 0.2;
/** The last poll may start so long after the time is up. Without it, half of 200 tasks are not polled at the end. */
const LAST_POLL_MS = 3_000;
/** A progress counts once it has changed so often: some gateways say 10 % until the end. */
const MOVES = 2;

/** Between two polls while none was answered. */
const UNKNOWN_STATE_MS = 5_000;

/**
 * Polls a task until it has ended or the time is up, and returns its last known state. A failed poll does not
 * fail the task. A wrong key, a refusal that persists and the user's stop end the wait, with the task ID.
 * Where only the ID is known, the first refusal ends it, and so does a gateway that answers no poll.
 */
export async function awaitTask(
	client: GatewayClient,
	start: Task | string,
	options: PollOptions,
	coordinator: PollCoordinator,
): Promise<Task> {
	const { clock } = client.context;
	const end = clock.now() + options.timeoutMs;
	const taskId = typeof start === 'string' ? start : start.taskId;
	try {
		const task = typeof start === 'string' ? await firstPoll(client, start, end) : start;
		if (hasEnded(task)) return task;
		// By the gateway's clock, but not in the future.
		const createdAt = Math.min(clock.now(), Date.parse(task.createdAt ?? '') || Infinity);
		const submittedAt = options.submittedAt ?? createdAt;
		const awaited = coordinator.add(task.model ?? '', submittedAt);
		const ended = pollUntilEnd(client, task, { ...options, submittedAt, end }, awaited);
		return await ended.finally(() => awaited.leave());
	} catch (error) {
		throw withDetails(error, { task_id: taskId });
	}
}

async function pollUntilEnd(
	client: GatewayClient,
	task: Task,
	{ submittedAt, end, longestMs, endsWith }: PollOptions & { submittedAt: number; end: number },
	awaited: AwaitedTask,
): Promise<Task> {
	const { clock, signal } = client.context;
	const age = () => clock.now() - submittedAt;
	let last = task;
	let [moves, progressSeenAt] = [0, 0];
	const refused = new RefusedPolls(clock);
	for (;;) {
		const { progress } = last;
		const { expected, slowdown } = awaited;
		const wanted = nextPollDelay({
			elapsed: age(),
			progress,
			progressSeenAt: moves >= MOVES ? progressSeenAt : undefined,
			expected,
			slowdown,
			longest: longestMs,
		});
		const ms = Math.min(wanted * (1 - JITTER * Math.random()), end - clock.now());
		if (ms <= 0) return last;
		await awaited.wait(ms, signal);
		try {
			const polled = await getTask(client, task.taskId, end + LAST_POLL_MS);
			last = { ...polled, held: polled.held ?? last.held };
			refused.reset();
		} catch (error) {
			if (refused.endsWait(error)) throw withDetails(error, { billed: undefined });
			const { retry_after = 0 } = (error as GatewayError).details;
			const left = Math.max(0, end - clock.now());
			await delay(client.context, Math.min(retry_after * 1000, left));
			continue;
		}
		if (endsWith?.(last)) return last;
		if (last.status === 'completed') awaited.complete();
		if (hasEnded(last)) return last;
		if (last.progress > progress) [moves, progressSeenAt] = [moves + 1, age()];
	}
}

async function firstPoll(client: GatewayClient, taskId: string, end: number): Promise<Task> {
	const { clock } = client.context;
	for (;;) {
		const task = await getTask(client, taskId, end).catch((error: unknown) => {
			if (isPermanent(error) || clock.now() + UNKNOWN_STATE_MS >= end) throw error;
		});
		if (task) return task;
		await delay(client.context, UNKNOWN_STATE_MS);
	}
}
