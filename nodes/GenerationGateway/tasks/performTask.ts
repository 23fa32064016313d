import { toText } from '../../catalog/json';
import { getLabel } from '../../catalog/labels';
import { getModelSpec } from '../../catalog/modelSpec';
import { raceAbort } from '../../gateway/delay';
import { GatewayError, withDetails } from '../../gateway/errors';
import {
	cancelTask,
	LONGEST_PREFER_SECONDS,
	waitInRequest,
	type Submission,
	type SubmittedTask,
} from '../../gateway/tasks/api';
import { awaitTask } from '../../gateway/tasks/awaitTask';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import { submitTask } from '../../gateway/tasks/submitTask';
import { findTaskError, type OutputItem } from '../../n8n/items/task';
import { TaskAccount } from '../account/taskAccount';
import type { ItemOutcome, Run } from '../operation';
import { cancelSubmittedAfterStop, isStopped } from './cancelOnStop';
import { dryRunResult } from './dryRun';
import { retiredKeys } from './taskKey';
import { toOutput } from './toOutput';
import type { TaskPlan } from './taskPlan';

/** Many proxies give up after 60 s without a byte. */
const PREFER_SECONDS = Math.min(50, LONGEST_PREFER_SECONDS);

const UNKNOWN = { billed: undefined };
/** After a stop a row waits so long for its submission. The rest goes on in the background. */
const STOP_GRACE_MS = 1_000;

/** Submits a planned task, waits for it when asked to, and returns its item. */
export async function performTask(plan: TaskPlan, run: Run): Promise<ItemOutcome[]> {
	for (const message of plan.warnings) run.summary.addWarning(message);
	if (plan.isDryRun) {
		const { estimate } = plan;
		run.summary.addEstimate('usd' in estimate ? estimate.usd : undefined);
		return [{ json: dryRunResult(plan) }];
	}
	const account = new TaskAccount(plan, run);
	const generated = account.open().then(async () => await generate(plan, account, run));
	const item = generated.catch((error: unknown) => {
		account.fail(error);
		throw error;
	});
	return [await item.finally(() => account.close())];
}

async function generate(plan: TaskPlan, account: TaskAccount, run: Run): Promise<ItemOutcome> {
	const { clock } = run.client.context;
	const end = clock.now() + plan.pollOptions.timeoutMs;
	const veto = () => run.budget.findVeto(plan.reservation, plan.estimate);
	const submission = {
		...{ body: plan.body, idempotencyKey: plan.key.key, until: end, veto },
		hasFallback: plan.isCancelledWhenLate,
	};
	const { task: submitted, isRepeat } = await submit(plan, submission, account, run);
	assertSameRequest(plan, submitted);
	const problem = account.submitted(submitted, isRepeat);
	if (problem) await cancelExcess(submitted, problem, account, run);
	const { outputOptions, cancelsOnStop, suspendHours: hours } = plan;
	if (hours !== undefined && !hasEnded(submitted)) {
		await account.confirm(submitted);
		return { suspended: { task: submitted, outputOptions, hours, cancelsOnStop } };
	}
	const waits = plan.waits || hours !== undefined;
	const task = plan.waits
		? await waitForTask(plan, submission, submitted, account, run).catch((error: unknown) => {
				// A stopped wait says nothing about the task.
				throw withDetails(error, { task_id: submitted.taskId, ...(isStopped(run) && UNKNOWN) });
			})
		: submitted;
	const failure = waits && findTaskError(task);
	if (failure) throw failure;
	await account.confirm(task);
	return markReused(await toOutput(task, outputOptions, run), plan, account);
}

/** Submits, or finds the task that the same key made before. */
async function submit(
	plan: TaskPlan,
	submission: Submission,
	account: TaskAccount,
	run: Run,
): Promise<SubmittedTask> {
	const { spec } = plan;
	const { clock, signal } = run.client.context;
	const onRetired = (task: Task) => account.retired(task);
	const sent = submitTask(run.client, submission, retiredKeys, onRetired);
	const inTime = raceAbort(sent, signal, { clock, graceMs: STOP_GRACE_MS });
	const submitted = await inTime.catch((error: unknown) => {
		const isUnderWay =
			isStopped(run) && error instanceof GatewayError && !('billed' in error.details);
		if (isUnderWay) withDetails(error, { may_have_executed: true });
		if (isStopped(run) && plan.cancelsOnStop) cancelSubmittedAfterStop(submission, error, run);
		const isUnchecked =
			spec.unknown && error instanceof GatewayError && error.code === 'bad_request';
		throw isUnchecked ? uncheckedModelError(spec.id, error) : nameFields(spec, error);
	});
	return { ...submitted, task: nameTask(plan, submitted.task) };
}

/** The task at its end, or its last known state. */
async function waitForTask(
	plan: TaskPlan,
	submission: Submission,
	submitted: Task,
	account: TaskAccount,
	run: Run,
): Promise<Task> {
	const { clock } = run.client.context;
	const submittedAt = clock.now();
	const latest = await waitWithKey(plan, submission, submitted, run);
	let problem = account.observe(latest);
	const timeoutMs = submission.until! - clock.now();
	const endsWith = (state: Task) => (problem = account.observe(state)) !== undefined;
	const options = { ...plan.pollOptions, submittedAt, timeoutMs, endsWith };
	const awaited = problem ? latest : await awaitTask(run.client, latest, options, run.coordinator);
	const task = nameTask(plan, awaited);
	if (problem) await cancelExcess(task, problem, account, run);
	if (plan.isCancelledWhenLate && !hasEnded(task))
		return await cancelLate(plan, task, account, run);
	return task;
}

/**
 * Waits in a second submission with the same key (`Prefer: wait`). Only while every item can have a request
 * of its own: otherwise the waiting ones would hold up the others.
 */
async function waitWithKey(
	{ key }: TaskPlan,
	submission: Submission,
	task: Task,
	run: Run,
): Promise<Task> {
	const { client } = run;
	if (hasEnded(task) || run.itemCount > run.concurrency || client.isRefusing) return task;
	const left = Math.floor((submission.until! - client.context.clock.now()) / 1000);
	// Time for the response.
	const seconds = Math.min(PREFER_SECONDS, left - 1);
	if (seconds <= 0) return task;
	const idempotencyKey = retiredKeys.current(key.key);
	const found = await waitInRequest(client, { ...submission, idempotencyKey }, seconds);
	if (!found) return task;
	if (found.taskId === task.taskId) return { ...found, held: found.held ?? task.held };
	// The gateway ignores the key. The second task must not be paid.
	await cancelTask(client, found.taskId);
	run.summary.addWarning(
		`The gateway made a second task for one Idempotency Key. ${found.taskId} was cancelled`,
	);
	return task;
}

/** Cancels a task that has not ended in time, since another model is tried then. */
async function cancelLate(
	{ pollOptions }: TaskPlan,
	task: Task,
	account: TaskAccount,
	run: Run,
): Promise<Task> {
	const { taskId: task_id } = task;
	const cancelled = await cancelTask(run.client, task_id).catch(() => task);
	account.observe(cancelled);
	const { status } = cancelled;
	if (status !== 'cancelled') return hasEnded(cancelled) ? cancelled : task;
	throw new GatewayError(
		'task_cancelled',
		`The task ${task_id} had not ended after ${pollOptions.timeoutMs / 1000} s and was cancelled`,
		{ details: { task_id, status, billed: 0, is_late: true } },
	);
}

/** Cancels a task that holds more than a limit allows, which refunds it. */
async function cancelExcess(
	task: Task,
	problem: string,
	account: TaskAccount,
	run: Run,
): Promise<never> {
	const { taskId: task_id } = task;
	const ended = await cancelTask(run.client, task_id).catch(() => task);
	account.observe(ended);
	const isCancelled = ended.status === 'cancelled';
	throw new GatewayError('hold_above_limit', problem, {
		hint: isCancelled
			? 'The task was cancelled and refunded. Raise the limit or ask for less.'
			: 'The task could not be cancelled. Look at it with Task > Get.',
		details: { task_id, status: ended.status, billed: isCancelled ? 0 : ended.cost },
	});
}

/** A key that spans executions may belong to a task of another node. Models of one family may replace each other. */
function assertSameRequest(
	{ key, spec }: TaskPlan,
	{ taskId: task_id, model = '', status }: Task,
): void {
	const other = getModelSpec(model);
	if (!key.spansExecutions || other.unknown || spec.unknown || other.family === spec.family) return;
	throw new GatewayError(
		'idempotency_key_conflict',
		`The Idempotency Key ${key.given ?? key.key} belongs to a task of ${model}`,
		{ details: { task_id, status, model } },
	);
}

/** Puts labels in place of wire names in the gateway's message. */
function nameFields({ fields }: TaskPlan['spec'], error: unknown): unknown {
	if (!(error instanceof GatewayError) || !error.isRefused) return error;
	const label = (name: string) => (fields[name] ? getLabel(name, fields[name]) : name);
	const message = error.message.replace(/\((\w+)\): \1\b/, '($1):');
	error.message = message.replace(/\b[a-z]+(_[a-z]+)+\b/g, label);
	return error;
}

const uncheckedModelError = (id: string, { message, details, cause }: GatewayError): GatewayError =>
	new GatewayError('bad_request', message, {
		hint: `Nothing was billed. This node has no table for ${id}, so it was sent unchecked; Model > Get Many lists what the gateway offers.`,
		details,
		cause,
	});

/** Some replies leave out model and action. */
function nameTask({ spec, body }: TaskPlan, task: Task): Task {
	const { model = spec.id, action = toText(body.action ?? spec.actions[0]) } = task;
	const seconds = typeof body.duration === 'number' ? body.duration : undefined;
	return { ...task, model, action, seconds };
}

function markReused(
	output: OutputItem,
	{ outputOptions }: TaskPlan,
	{ isReused }: TaskAccount,
): OutputItem {
	if (!isReused || !outputOptions.simplify) return output;
	return { ...output, json: { ...output.json, reused: true } };
}
