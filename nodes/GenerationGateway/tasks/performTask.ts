import type { IDataObject } from 'n8n-workflow';
import { getLabel } from '../../catalog/labels';
import { getModelSpec } from '../../catalog/modelSpec';
import { raceAbort } from '../../gateway/delay';
import { GatewayError, withDetails } from '../../gateway/errors';
import type { Submission, SubmittedTask } from '../../gateway/tasks/api';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import { isOlderThanRequest, submitTask } from '../../gateway/tasks/submitTask';
import { findEmpty, findTaskError } from '../../n8n/items/task';
import { TaskAccount } from '../account/taskAccount';
import type { ItemOutcome, Run } from '../operation';
import { getResumeUrl, recordCalledBack } from '../suspend/resumeLink';
import { fallbackFields } from '../withFallback';
import { cancellations, findSubmittedAfterStop, isStopped } from './cancelOnStop';
import { toOutput } from './toOutput';
import { dryRunResult, nameTask, type TaskPlan } from './taskPlan';
import { cancelExcess, waitForTask } from './waitForTask';

const UNKNOWN = { billed: undefined };
/** After a stop a row waits so long for its submission. The rest goes on in the background. */
const STOP_GRACE_MS = 1_000;

/** Submits a planned task, waits for it when asked to, and returns its item. */
export async function performTask(plan: TaskPlan, run: Run): Promise<ItemOutcome[]> {
	for (const message of plan.warnings) run.summary.addWarning(message, plan.index);
	if (plan.isDryRun) {
		run.rows.handOnKeys(plan.index);
		const { estimate, key } = plan.refusal ? plan.fallbacks[0]! : plan;
		run.summary.estimates.push({ key: key.key, ...('usd' in estimate && { usd: estimate.usd }) });
		return [{ json: dryRunResult(plan) }];
	}
	const account = new TaskAccount(plan, run);
	try {
		await account.open();
		return [await generate(account)];
	} catch (error) {
		throw account.fail(error);
	} finally {
		account.close();
	}
}

async function generate(account: TaskAccount): Promise<ItemOutcome> {
	const { plan, run } = account;
	const { clock } = run.client.context;
	const { timeoutMs } = plan.pollOptions;
	const end = clock.now() + timeoutMs;
	const veto = () => run.budget.findVeto(plan.reservation, plan.estimate);
	const { body, fallbacks } = plan;
	const hasFallback = fallbacks.length > 0;
	const submission = { body, idempotencyKey: plan.key.key, until: end, veto, hasFallback };
	// Max Wait is for rows that wait. With 0, a row is sent all the same.
	const isInTime = timeoutMs > 0 && plan.waits;
	const posted = await submit({ ...submission, until: isInTime ? end : undefined }, account);
	const { task: submitted, isRepeat, idempotencyKey } = posted;
	assertSameRequest(plan, submitted);
	const problem = account.submitted(submitted, isRepeat, isOlderThanRequest(posted));
	if (problem) await cancelExcess(submitted, problem, account);
	const { outputOptions, suspendHours: hours } = plan;
	if (hours !== undefined && !hasEnded(submitted)) {
		await confirm(submitted, account);
		const fields = fieldsOf(account);
		const cancelsOnStop = account.isCancelledOnStop(submitted.taskId);
		return { suspended: { task: submitted, outputOptions, hours, cancelsOnStop, fields } };
	}
	const waits = plan.waits || hours !== undefined;
	const task = plan.waits
		? await waitForTask({ ...submission, idempotencyKey }, submitted, account).catch(
				(error: unknown) => {
					// A stopped wait says nothing about the task.
					throw withDetails(error, { task_id: submitted.taskId, ...(isStopped(run) && UNKNOWN) });
				},
			)
		: submitted;
	const failed = findTaskError(task, { reused: account.isReused });
	const failure = waits && (failed ?? (hasFallback ? findEmpty(task) : undefined));
	if (failure) throw failure;
	await confirm(task, account);
	const item = await toOutput(task, outputOptions, run);
	return { ...item, json: { ...item.json, ...fieldsOf(account) } };
}

async function confirm(task: Task, account: TaskAccount): Promise<void> {
	await account.confirm(task);
	const { plan, run, isMaker, isReused } = account;
	const { callback_url: link } = plan.body;
	if (isMaker && !isReused && link && link === getResumeUrl(run.context, plan.index))
		recordCalledBack(run.context, task.taskId);
}

/** Further fields of the simplified item. */
const fieldsOf = ({ plan: { outputOptions, replaced }, isReused }: TaskAccount): IDataObject =>
	outputOptions.simplify ? { ...(isReused && { reused: true }), ...fallbackFields(replaced) } : {};

/** Submits, or finds the task that the same key made before. */
async function submit(submission: Submission, account: TaskAccount): Promise<SubmittedTask> {
	const { plan, run } = account;
	const { spec, retiredKeys } = plan;
	const { clock, signal } = run.client.context;
	const onRetired = (task: Task) => account.retired(task);
	const take = (task: Task) => {
		run.budget.found(plan.reservation, task);
		return nameTask(plan, task);
	};
	const beganAt = clock.now();
	const sent = submitTask(run.client, submission, retiredKeys, onRetired, (taskId) =>
		cancellations.get(taskId),
	);
	const inTime = raceAbort(sent, signal, { clock, ms: STOP_GRACE_MS });
	const submitted = await inTime.catch((error: unknown) => {
		if (!(error instanceof GatewayError)) throw error;
		const { details } = error;
		if (isStopped(run) && !('billed' in details)) details.may_have_executed = true;
		if (isStopped(run) && plan.cancelsOnStop && details.may_have_executed) {
			const idempotencyKey = retiredKeys.use(submission.idempotencyKey);
			findSubmittedAfterStop({ ...submission, idempotencyKey }, run, (found) => {
				const requestedAt = found.requestedAt - (clock.now() - beganAt);
				const isOlder = isOlderThanRequest({ ...found, requestedAt });
				account.submitted(take(found.task), true, isOlder);
			});
		}
		const isUnchecked = !spec.family && error.code === 'bad_request';
		if (isUnchecked)
			error.hint = `Nothing was billed. This package does not know ${spec.id}, so the request was not checked; Model > Get Many Models lists what the gateway offers.`;
		else if (error.isPermanent) nameFields(spec, error);
		throw error;
	});
	return { ...submitted, task: take(submitted.task) };
}

/** A key that spans executions may belong to a task of another node. Models of one family may replace each other. */
function assertSameRequest(
	{ key, spec }: TaskPlan,
	{ taskId: task_id, model = '', status }: Task,
): void {
	const other = getModelSpec(model);
	if (!key.spansExecutions || !other.family || !spec.family || other.family === spec.family) return;
	throw new GatewayError(
		'idempotency_key_conflict',
		`The Idempotency Key ${key.given ?? key.key} belongs to a task of ${model}`,
		{ details: { task_id, status, model } },
	);
}

/** Puts labels in place of wire names in the gateway's message. */
function nameFields({ fields }: TaskPlan['spec'], error: GatewayError): void {
	const label = (name: string) => (fields[name] ? getLabel(name, fields[name]) : name);
	const message = error.message.replace(/\((\w+)\): \1\b/, '($1):');
	error.message = message.replace(/\b[a-z]+(_[a-z]+)+\b/g, label);
}
