import type { IDataObject } from 'n8n-workflow';
import { readErrorBody } from '../errorBody';
import { isEmptyResult, hasEnded, readTask, type Task } from './schema';
import type { GatewayClient } from '../client';
import { GatewayError } from '../errors';
import { currentKey, retireKey } from './idempotencyKeys';

/** Longest in-request wait the gateway grants: spec section 4, details 3. */
export const LONGEST_PREFER_SECONDS = 60;

const pathOf = (taskId: string) => `/v1/tasks/${encodeURIComponent(taskId)}`;

function taskIn(body: unknown, taskId?: string): Task {
	const task = readTask(body);
	if (task) return taskId ? { ...task, taskId } : task;
	const { message } = readErrorBody(body);
	throw new GatewayError(
		`The gateway answered without a task${message ? `: ${message}` : ''}`,
		message
			? 'Correct what it names, or run it again later.'
			: 'Check that Base URL in the credential is the address of the gateway.',
		{ retry: true, ...(taskId && { task_id: taskId }) },
	);
}

export interface Submission {
	/** The whole body, `model` included. */
	body: IDataObject;
	key: string;
	/** Seconds the first answer may take while the task runs; 0 for an answer at once. */
	preferSeconds: number;
}

/** A look at a task takes no time at the gateway; one that hangs is made again rather than waited for. */
const LOOK_MS = 20_000;
/** How often a key may lead to tasks that ended without a result before the last one is handed over. */
const MOST_SUCCESSORS = 5;
/** What rounding to seconds and a slow network may add to the age of a task made just now. */
const TOLERANCE_MS = 5_000;

/**
 * Submits a task, or finds the one that the same key made before. A task that had ended failed,
 * cancelled or empty before this call does not stand in the way: the key moves on to a successor. A task that
 * ends so while the answer is awaited is handed over, and the next submission of its key moves on.
 */
export async function submitTask(client: GatewayClient, submission: Submission): Promise<Task> {
	for (let turn = 1; ; turn += 1) {
		const { task, askedAt } = await post(client, submission);
		if (!endedInVain(task)) return task;
		retireKey(submission.key, task.taskId);
		const isOlder =
			task.createdAt !== undefined && Date.parse(task.createdAt) < askedAt - TOLERANCE_MS;
		if (!isOlder || turn > MOST_SUCCESSORS) return task;
	}
}

/** Notes what a submitted task came to: one that ended without a result does not stand in the way of the next try. */
export function settle(key: string, task: Task): void {
	if (endedInVain(task)) retireKey(key, task.taskId);
}

const endedInVain = (task: Task) =>
	task.status === 'failed' || task.status === 'cancelled' || isEmptyResult(task);

async function post(
	client: GatewayClient,
	{ body, key, preferSeconds }: Submission,
): Promise<{ task: Task; askedAt: number }> {
	const { body: reply, askedAt } = await client.request({
		kind: 'submit',
		method: 'POST',
		path: '/v1/tasks',
		body,
		headers: {
			'Idempotency-Key': currentKey(key),
			...(preferSeconds > 0 && { Prefer: `wait=${preferSeconds}` }),
		},
		timeoutMs: (preferSeconds + 30) * 1000,
	});
	return { task: taskIn(reply), askedAt };
}

/** The task as it stands now (GET /v1/tasks/{task_id}); not asked for again after `until`, in Unix milliseconds. */
export async function getTask(
	client: GatewayClient,
	taskId: string,
	until?: number,
): Promise<Task> {
	try {
		const { body } = await client.request({
			kind: 'read',
			method: 'GET',
			path: pathOf(taskId),
			timeoutMs: LOOK_MS,
			until,
		});
		return taskIn(body, taskId);
	} catch (error) {
		throw about(taskId, error);
	}
}

/** A call that only looks at a task or cancels it says nothing about what the task is billed. */
const about = (task_id: string, error: unknown) =>
	error instanceof GatewayError ? error.with({ task_id, billed: undefined }) : error;

/**
 * Cancels a task; its hold is refunded in full (spec section 1.5). Path and reply are not shown (section 4):
 * any success counts, and unless it holds the ended task, the task is looked at.
 */
export async function cancelTask(client: GatewayClient, taskId: string): Promise<Task> {
	try {
		const { body } = await client.request({
			kind: 'write',
			method: 'POST',
			path: `${pathOf(taskId)}/cancel`,
			anyBody: true,
		});
		const task = readTask(body);
		return task && hasEnded(task) ? { ...task, taskId } : await getTask(client, taskId);
	} catch (error) {
		throw about(taskId, error);
	}
}
