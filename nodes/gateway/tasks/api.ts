import { read, type ClientResponse, type GatewayClient } from '../client';
import { delay } from '../delay';
import type { JsonObject } from '../json';
import { GatewayError, withDetails } from '../errors';
import type { GatewayRequest, ResponseReader } from '../request';
import { hasEnded, lacksResult, readTask, type Task } from './schema';

/** A poll is fast. One that hangs is repeated. */
const POLL_TIMEOUT_MS = 20_000;
/** The status may change a moment before the result is there. */
const RESULT_DELAY_MS = 1_000;
/** A submission is answered before the task begins. */
const SUBMIT_TIMEOUT_MS = 30_000;

const pathOf = (taskId: string) => `/v1/tasks/${encodeURIComponent(taskId)}`;

const TASK: ResponseReader<Task> = { expects: 'a task', read: readTask };

export interface Submission extends Pick<GatewayRequest, 'until' | 'veto' | 'hasFallback'> {
	/** The whole body, `model` included. */
	body: JsonObject;
	idempotencyKey: string;
}

export interface SubmittedTask extends Omit<ClientResponse<Task>, 'body'> {
	task: Task;
	/** Of the request. */
	idempotencyKey: string;
}

const toRequest = ({ idempotencyKey, ...request }: Submission) => ({
	...request,
	kind: 'submit' as const,
	reader: TASK,
	method: 'POST' as const,
	path: '/v1/tasks',
	headers: { 'Idempotency-Key': idempotencyKey },
});

/**
 * POST /v1/tasks. The same key gives the same task for 24 hours (spec section 4, details 2). The response
 * comes at once, so that the ID is known within a second, also when the user stops the execution.
 */
export async function postTask(
	client: GatewayClient,
	submission: Submission,
): Promise<SubmittedTask> {
	const { body: task, ...request } = await client.request({
		...toRequest(submission),
		outlivesStop: true,
		timeoutMs: SUBMIT_TIMEOUT_MS,
	});
	const { idempotencyKey, until } = submission;
	// Without its result it is paid all the same.
	const whole = lacksResult(task)
		? await getTask(client, task.taskId, until).catch(() => task)
		: task;
	return { ...request, idempotencyKey, task: whole };
}

/**
 * Submits the request again with its key, and waits for the result (`Prefer: wait`, spec section 4, details
 * 3). Gives another task where the gateway ignores the key. Undefined without a response.
 */
export async function waitInRequest(
	client: GatewayClient,
	submission: Submission,
	seconds: number,
	options: Pick<GatewayRequest, 'outlivesStop'> = {},
): Promise<Task | undefined> {
	const { headers, ...request } = toRequest({ ...submission, veto: undefined });
	const sent = client.request({
		...request,
		...options,
		headers: { ...headers, Prefer: `wait=${seconds}` },
		timeoutMs: seconds * 1000 + SUBMIT_TIMEOUT_MS,
		isOnce: true,
	});
	const response = await sent.catch(() => undefined);
	return response && tell(client, response.body);
}

/** Tells whoever is interested in the state of a task. */
function tell({ context }: GatewayClient, task: Task): Task {
	context.onTask?.(task);
	return task;
}

/** GET /v1/tasks/{task_id}. No attempt after `until` (Unix milliseconds). A completed task without result is read twice. */
export async function getTask(client: GatewayClient, id: string, until?: number): Promise<Task> {
	const reader: ResponseReader<Task> = {
		...TASK,
		read(body) {
			const task = readTask(body);
			// With another ID and without a charge, it is the request that has failed.
			const isRequest = task?.status === 'failed' && task.taskId !== id && task.cost === undefined;
			return task && !isRequest ? { ...task, taskId: id } : undefined;
		},
	};
	const poll = async (): Promise<Task> =>
		await read(client, pathOf(id), reader, { timeoutMs: POLL_TIMEOUT_MS, until });
	try {
		let task = await poll();
		if (lacksResult(task)) {
			await delay(client.context, RESULT_DELAY_MS);
			task = await poll();
		}
		return tell(client, task);
	} catch (error) {
		// A failed poll says nothing about what the task costs.
		throw withDetails(error, { task_id: id, billed: undefined });
	}
}

/** The task at its end. A confirmation may say `success` or `error` of itself. */
const isSettled = ({ status, cost, raw }: Task): boolean =>
	status === 'cancelled' || (cost !== undefined && (raw as JsonObject).status === status);

/**
 * Cancels a task, which refunds its hold (spec section 1.5). Path and response are not shown (section 4): any
 * success counts, and the task is read again unless the response shows that it was cancelled, or its result. Given
 * up at `until`, in Unix milliseconds.
 */
export async function cancelTask(client: GatewayClient, id: string, until?: number): Promise<Task> {
	let isRefused = true;
	try {
		const { body } = await client.request({
			kind: 'idempotent',
			until,
			method: 'POST',
			path: `${pathOf(id)}/cancel`,
			reader: { expects: 'a confirmation', read: (response) => ({ task: readTask(response) }) },
		});
		isRefused = false;
		const { task } = body;
		const ended = task && isSettled(task) ? { ...task, taskId: id } : undefined;
		// "failed" may be the cancellation.
		if (ended && ended.status !== 'failed' && !lacksResult(ended)) return tell(client, ended);
		return await getTask(client, id, until).catch((error: unknown) => {
			if (ended) return tell(client, ended);
			throw error;
		});
	} catch (error) {
		const status = isRefused && error instanceof GatewayError && error.details.http_status;
		// It may be refused because the task has ended.
		const isOfTask = status && status < 500 && ![401, 403, 429].includes(status);
		const known = isOfTask && (await getTask(client, id, until).catch(() => undefined));
		if (known && hasEnded(known)) return known;
		throw withDetails(error, { task_id: id, billed: undefined });
	}
}
