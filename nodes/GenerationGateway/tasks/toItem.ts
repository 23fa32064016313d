import type { IDataObject } from 'n8n-workflow';
import { downloadResults, type RunLimited } from '../../n8n/binary/download';
import { GatewayError } from '../../gateway/errors';
import { createLimiter } from '../../gateway/concurrency';
import { taskToJson } from '../../n8n/items/task';
import { isEmptyResult, type Task } from '../../gateway/tasks/schema';
import type { Output, Run } from '../operation';
import type { OutputOptions } from './planTask';

/** The item of a task, with its files when they are asked for. */
export async function taskToOutput(
	task: Task,
	{ download: field, simplify }: OutputOptions,
	run: Run,
): Promise<Output> {
	run.budget.book(task);
	if (isEmptyResult(task))
		run.budget.note(
			`The task ${task.taskId} ended without a usable output and was refunded in full. Run it again for a new task.`,
		);
	const json = simplify ? taskToJson(task) : (task.raw as IDataObject);
	if (!field || task.status !== 'completed') return { json };
	try {
		const turns = run.once<RunLimited>('downloads', () => createLimiter(run.client.concurrency));
		return {
			json,
			binary: await downloadResults(run.context, task, field, {
				signal: run.client.signal,
				limit: turns,
			}),
		};
	} catch (error) {
		throw about(task, error);
	}
}

/** A file that did not arrive belongs to a task that is paid: the issue keeps its ID and its links. */
function about(
	{ taskId: task_id, status, cost: billed, urls, expiresAt: expires_at }: Task,
	error: unknown,
): unknown {
	return error instanceof GatewayError
		? error.with({ task_id, status, billed, urls, expires_at })
		: error;
}

/** Ends the item of a task that ended without a result, saying where the money stands. */
export function assertTaskSucceeded(task: Task): void {
	if (task.status !== 'failed' && task.status !== 'cancelled') return;
	const { taskId: task_id, status, model, cost: billed = 0 } = task;
	const refund = billed ? `${billed} quota were charged.` : 'It was refunded in full.';
	const advice =
		status === 'failed'
			? `${refund} Run it again for a new task, or change the request.`
			: `${refund} Run it again for a new task.`;
	const why = task.reason ? `: ${task.reason}` : '';
	throw new GatewayError(
		`The task ${task_id} ${status === 'failed' ? 'failed' : 'was cancelled'}${why}`,
		advice,
		{
			task_id,
			status,
			model,
			billed,
			retry: status === 'failed',
		},
	);
}
