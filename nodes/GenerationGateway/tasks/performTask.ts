import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../catalog/labels';
import { getModelSpec } from '../../catalog/modelSpec';
import { awaitTask } from '../../gateway/tasks/awaitTask';
import { GatewayError } from '../../gateway/errors';
import { LONGEST_PREFER_SECONDS, settle, submitTask } from '../../gateway/tasks/api';
import type { Task } from '../../gateway/tasks/schema';
import type { Output, Run } from '../operation';
import { assertTaskSucceeded, taskToOutput } from './toItem';
import type { TaskPlan } from './planTask';
import { withCancelOnStop } from './cancelOnStop';

/** Below the 60 s after which many proxies give up on a silent answer. */
const PREFER_SECONDS = Math.min(50, LONGEST_PREFER_SECONDS);

/**
 * How long the submission itself may wait for the result. Only while every item can wait in a call of
 * its own: with more items than calls at a time, the waiting ones would hold up the others. A task that
 * is to be cancelled on stop is not waited for so either, since its ID comes with the answer.
 */
function preferSeconds(
	{ wait, pollOptions, cancelOnStop }: TaskPlan,
	{ size, client }: Run,
): number {
	if (!wait || cancelOnStop || size > client.concurrency) return 0;
	return Math.min(PREFER_SECONDS, Math.floor(pollOptions.timeoutMs / 1000));
}

/** Submits a planned task, waits for it when asked to, and delivers it. */
export async function performTask(plan: TaskPlan, run: Run): Promise<Output[]> {
	for (const message of plan.warnings) run.budget.note(message);
	if (plan.dryRun) return [{ json: dryRunResult(plan) }];
	let isDelivered = false;
	try {
		const output = await generated(plan, run);
		isDelivered = true;
		return [output];
	} finally {
		plan.ended(isDelivered);
	}
}

async function generated(plan: TaskPlan, run: Run): Promise<Output> {
	const { pollOptions, outputOptions } = plan;
	const began = Date.now();
	const submitted = named(plan, await submit(plan, run));
	assertOwn(plan, submitted);
	if (!plan.wait) return await taskToOutput(submitted, outputOptions, run);
	// The submission may have waited for its turn; only where it waited for the result is the task older than its answer.
	const since = preferSeconds(plan, run) ? began : Date.now();
	const left = { ...pollOptions, since, timeoutMs: pollOptions.timeoutMs - (Date.now() - since) };
	const wait = awaitTask(run.client, submitted, left, run.coordinator);
	const task = named(plan, await withCancelOnStop(wait, submitted.taskId, plan.cancelOnStop, run));
	settle(plan.key, task);
	assertTaskSucceeded(task);
	return await taskToOutput(task, outputOptions, run);
}

/** A key of the user's own that another node has used gives that node's task; models of one family may stand in for each other. */
function assertOwn(
	{ isOwnKey, key, sheet: spec }: TaskPlan,
	{ taskId: task_id, model = '', status }: Task,
): void {
	const other = getModelSpec(model);
	if (!isOwnKey || other.unknown || spec.unknown || other.family === spec.family) return;
	throw new GatewayError(
		`The gateway gave a task of ${model}, to which the Idempotency Key ${key} belongs already`,
		'Nothing was billed for this item. Give each node keys of its own, e.g. with the kind of output after the row ID.',
		{ task_id, status, model, retry: false },
	);
}

async function submit(plan: TaskPlan, run: Run): Promise<Task> {
	const { body, key, sheet: spec } = plan;
	try {
		return await submitTask(run.client, { body, key, preferSeconds: preferSeconds(plan, run) });
	} catch (error) {
		throw spec.unknown ? uncheckedModel(spec.id, error) : error;
	}
}

function uncheckedModel(id: string, error: unknown): unknown {
	if (!(error instanceof GatewayError) || error.details.http_status !== 400) return error;
	const advice = `Nothing was billed. This node has no table for ${id}, so it was sent unchecked; Model > Get Many lists what the gateway offers.`;
	return new GatewayError(error.message, advice, error.details);
}

/** The legacy reply and some status replies leave out what the request said. */
function named({ sheet: spec, body }: TaskPlan, task: Task): Task {
	const { model = spec.id, action = toText(body.action ?? spec.actions[0]) } = task;
	return { ...task, model, action };
}

/** What a dry run shows: the body as it would be sent, and what it would cost. */
function dryRunResult({ body, estimate, warnings }: TaskPlan): IDataObject {
	const isKnown = !('unknown' in estimate);
	return {
		dry_run: true,
		body,
		estimated_cost: isKnown ? estimate.quota : null,
		estimated_cost_usd: isKnown ? estimate.usd : null,
		...('unknown' in estimate && { price: estimate.unknown }),
		advice: warnings,
	};
}
