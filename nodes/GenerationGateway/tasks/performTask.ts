import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../catalog/labels';
import { getModelSpec } from '../../catalog/modelSpec';
import { GatewayError } from '../../gateway/errors';
import { cancelTask, LONGEST_PREFER_SECONDS } from '../../gateway/tasks/api';
import { awaitTask } from '../../gateway/tasks/awaitTask';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import { noteResult, submitTask, type SubmitResult } from '../../gateway/tasks/submitTask';
import { findTaskError, type OutputItem } from '../../n8n/items/task';
import type { Run } from '../operation';
import { hasLimit } from '../account/budget';
import { cancelSubmittedOnStop, withCancelOnStop } from './cancelOnStop';
import { logWait } from './logWait';
import { toOutput } from './toOutput';
import { idempotencyKeys } from './taskKey';
import type { TaskPlan } from './taskPlan';

/** Below the 60 s after which many proxies give up on a silent answer. */
const PREFER_SECONDS = Math.min(50, LONGEST_PREFER_SECONDS);

/** Whether it is known that there is no task, so that nothing counts for the budget. */
const hasMadeNothing = (error: unknown): boolean =>
	error instanceof GatewayError &&
	error.details.task_id === undefined &&
	error.details.billed === 0;

/** Submits a planned task, waits for it when asked to, and gives its item. */
export async function performTask(plan: TaskPlan, run: Run): Promise<OutputItem[]> {
	for (const message of plan.warnings) run.summary.addWarning(message);
	if (plan.isDryRun) return [{ json: dryRunResult(plan) }];
	let isDelivered = true;
	const generated = generate(plan, run).catch((error: unknown) => {
		// What will not come on a further try either must not hold the next call to the same task.
		const isFinal = error instanceof GatewayError && !error.isRetryable;
		isDelivered = isFinal && error.code !== 'stopped';
		if (hasMadeNothing(error)) run.budget.release(plan.reservation);
		throw error;
	});
	try {
		return [await generated];
	} finally {
		plan.key.release(isDelivered);
		// The next try of a tool gets the same task, and reserves it again.
		if (!isDelivered && plan.key.isLent) run.budget.release(plan.reservation);
	}
}

async function generate(plan: TaskPlan, run: Run): Promise<OutputItem> {
	const { clock } = run.client.context;
	const startedAt = clock.now();
	const preferSeconds = preferSecondsOf(plan, run);
	const { task: submitted, isReused } = await submit(plan, preferSeconds, run);
	assertSameRequest(plan, submitted);
	if (!isReused) {
		run.record.addTask(submitted);
		run.summary.addSubmitted(submitted);
	}
	await assertWithinLimits(plan, submitted, isReused, run);
	const reused = plan.key.spansExecutions && isReused;
	if (reused) run.summary.addReused(submitted.taskId);
	if (!plan.waits)
		return markReused(await toOutput(submitted, plan.outputOptions, run), plan, reused);

	// The submission may have been queued; only where it waited for the result is the task older than its answer.
	const submittedAt = preferSeconds ? startedAt : clock.now();
	const timeoutMs = plan.pollOptions.timeoutMs - (clock.now() - submittedAt);
	const options = { ...plan.pollOptions, submittedAt, timeoutMs };
	logWait(submitted, run);
	const wait = awaitTask(run.client, submitted, options, run.coordinator);
	const task = nameTask(
		plan,
		await withCancelOnStop(wait, submitted.taskId, plan.cancelsOnStop, run),
	);
	if (plan.isCancelledWhenLate && !hasEnded(task)) await cancelLate(plan, task, run);
	noteResult(plan.key.key, task, idempotencyKeys);
	run.record.settle(task);
	const failure = findTaskError(task);
	if (failure) {
		run.budget.release(plan.reservation);
		throw failure;
	}
	return markReused(await toOutput(task, plan.outputOptions, run), plan, reused);
}

/** Another model is asked for a task that has not ended in time, unless it cannot be cancelled any more. */
async function cancelLate(
	{ pollOptions, reservation }: TaskPlan,
	task: Task,
	run: Run,
): Promise<void> {
	const { taskId: task_id } = task;
	const { status } = await cancelTask(run.client, task_id).catch(() => task);
	if (status !== 'cancelled') return;
	run.record.settle({ ...task, status });
	run.budget.release(reservation);
	throw new GatewayError(
		'task_cancelled',
		`The task ${task_id} had not ended after ${pollOptions.timeoutMs / 1000} s and was cancelled`,
		{ details: { task_id, status, billed: 0, is_late: true } },
	);
}

/**
 * Seconds the submission itself may wait for the result. Only while every item can wait in a request
 * of its own: with more items than requests at a time, the waiting ones would hold up the others. A
 * task that is to be cancelled, on stop or when it costs too much, is not waited for so either, since
 * its ID comes with the answer.
 */
function preferSecondsOf(
	{ waits, pollOptions, cancelsOnStop, reservation }: TaskPlan,
	run: Run,
): number {
	if (!waits || cancelsOnStop || hasLimit(reservation)) return 0;
	if (run.itemCount > run.client.concurrency) return 0;
	return Math.min(PREFER_SECONDS, Math.floor(pollOptions.timeoutMs / 1000));
}

async function submit(plan: TaskPlan, preferSeconds: number, run: Run): Promise<SubmitResult> {
	const { body, key, spec } = plan;
	const submission = { body, idempotencyKey: key.key, preferSeconds };
	const result = await submitTask(run.client, submission, idempotencyKeys).catch(
		(error: unknown) => {
			const isKnown = error instanceof GatewayError;
			if (plan.cancelsOnStop && isKnown && error.code === 'stopped')
				cancelSubmittedOnStop(submission, run);
			const isUnchecked = spec.unknown && isKnown && error.code === 'bad_request';
			throw isUnchecked ? uncheckedModelError(spec.id, error) : error;
		},
	);
	return { ...result, task: nameTask(plan, result.task) };
}

/** A key that spans executions may have made a task for another node; models of one family may replace each other. */
function assertSameRequest(
	{ key, spec }: TaskPlan,
	{ taskId: task_id, model = '', status }: Task,
): void {
	const other = getModelSpec(model);
	if (!key.spansExecutions || other.unknown || spec.unknown || other.family === spec.family) return;
	throw new GatewayError(
		'idempotency_key_conflict',
		`The Idempotency Key ${key.key} belongs to a task of ${model}`,
		{ details: { task_id, status, model } },
	);
}

/** A task that the gateway holds at more than a limit allows is cancelled at once, which refunds it. */
async function assertWithinLimits(
	{ reservation, key }: TaskPlan,
	task: Task,
	isReused: boolean,
	run: Run,
): Promise<void> {
	const isPaidBefore = isReused && key.spansExecutions && !run.record.hasTask(task.taskId);
	if (isPaidBefore) return run.budget.release(reservation);
	if (isReused) return run.budget.count(reservation, task);
	const problem = run.budget.correct(reservation, task);
	if (!problem) return;
	const { taskId: task_id } = task;
	const ended = await cancelTask(run.client, task_id).catch(() => task);
	const isCancelled = ended.status === 'cancelled';
	run.record.settle(ended);
	throw new GatewayError('hold_above_limit', problem, {
		hint: isCancelled
			? 'The task was cancelled and refunded. Raise the limit or ask for less.'
			: 'The task could not be cancelled. Look at it with Task > Get.',
		details: { task_id, status: ended.status, billed: isCancelled ? 0 : ended.cost },
	});
}

const uncheckedModelError = (id: string, { message, details, cause }: GatewayError): GatewayError =>
	new GatewayError('bad_request', message, {
		hint: `Nothing was billed. This node has no table for ${id}, so it was sent unchecked; Model > Get Many lists what the gateway offers.`,
		details,
		cause,
	});

/** The legacy response and some others leave out what the request stated. */
function nameTask({ spec, body }: TaskPlan, task: Task): Task {
	const { model = spec.id, action = toText(body.action ?? spec.actions[0]) } = task;
	return { ...task, model, action };
}

function markReused(
	output: OutputItem,
	{ outputOptions }: TaskPlan,
	isReused: boolean,
): OutputItem {
	if (!isReused || !outputOptions.simplify) return output;
	return { ...output, json: { ...output.json, reused: true } };
}

/** What a dry run shows: the body as it would be sent, and what it would cost. */
function dryRunResult({ body, estimate, warnings, fallbacks }: TaskPlan): IDataObject {
	const isKnown = !('unknown' in estimate);
	return {
		dry_run: true,
		body: body as IDataObject,
		estimated_cost: isKnown ? estimate.quota : null,
		estimated_cost_usd: isKnown ? estimate.usd : null,
		...(!isKnown && { price: estimate.unknown }),
		...(fallbacks.length && {
			fallbacks: fallbacks.map((fallback) => ({
				model: fallback.spec.id,
				estimated_cost_usd: 'usd' in fallback.estimate ? fallback.estimate.usd : null,
				advice: fallback.warnings,
			})),
		}),
		advice: warnings,
	};
}
