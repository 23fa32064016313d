import { BoundedMap } from '../../gateway/boundedMap';
import { raceAbort } from '../../gateway/delay';
import { GatewayError } from '../../gateway/errors';
import { cancelTask, waitInRequest, type Submission } from '../../gateway/tasks/api';
import { awaitTask } from '../../gateway/tasks/awaitTask';
import { hasEnded, lacksResult, type Task } from '../../gateway/tasks/schema';
import { createClientAfterStop } from '../../n8n/gatewayContext';
import type { TaskAccount } from '../account/taskAccount';
import type { Run } from '../operation';
import { nameTask } from './taskPlan';

/** The gateway takes 60 at most (spec section 4, details 3), and many proxies give up after 60 s without a byte. */
const PREFER_SECONDS = 50;
const PROOF_SECONDS = 1;
const MOST_ACCOUNTS = 1_000;
/** Whether the gateway gives a repeated key its task. By account. */
export const keepsKeys = new BoundedMap<string, boolean>(MOST_ACCOUNTS);

/** A row waits so long for the cancellation of a task. */
const CANCEL_MS = 30_000;

/** The task at its end, or its last known state. */
export async function waitForTask(
	submission: Submission,
	submitted: Task,
	account: TaskAccount,
): Promise<Task> {
	const { plan, run } = account;
	run.summary.hasWaited ||= plan.pollOptions.timeoutMs > 0;
	const { clock } = run.client.context;
	const submittedAt = clock.now();
	// After a stop, a second task is cancelled in the background.
	const waiting = waitWithKey(submission, submitted, run);
	const latest = await raceAbort(waiting, run.client.context.signal);
	let problem = account.observe(latest);
	const timeoutMs = submission.until! - clock.now();
	const endsWith = (state: Task) => (problem = account.observe(state)) !== undefined;
	const options = { ...plan.pollOptions, submittedAt, timeoutMs, endsWith };
	const awaited = problem ? latest : await awaitTask(run.client, latest, options, run.coordinator);
	const task = nameTask(plan, awaited);
	if (problem) await cancelExcess(task, problem, account);
	if (!plan.fallbacks.length || hasEnded(task) || !plan.pollOptions.timeoutMs) return task;
	await account.confirm(task);
	// Another execution waits for it.
	return account.isReused ? task : await cancelLate(task, account);
}

/**
 * Waits in a second submission with the same key (`Prefer: wait`). Only while every item can have a request
 * of its own: otherwise the waiting ones would hold up the others. The first one of an account is short and
 * alone, since it shows whether the gateway gives a key its task: a second task can still be cancelled then.
 */
async function waitWithKey(submission: Submission, task: Task, run: Run): Promise<Task> {
	const { client, record } = run;
	if (hasEnded(task) || run.itemCount > run.concurrency || client.isRefusing) return task;
	const account = (await client.context.account?.()) ?? '';
	const isProven = keepsKeys.get(account);
	const left = Math.floor((submission.until! - client.context.clock.now()) / 1000);
	// Time for the response.
	const seconds = Math.min(isProven ? PREFER_SECONDS : PROOF_SECONDS, left - 1);
	if (seconds <= 0 || isProven === false) return task;
	if (!isProven) keepsKeys.set(account, false);
	const options = isProven ? {} : { outlivesStop: true as const };
	const found = await waitInRequest(client, submission, seconds, options);
	if (!found && !isProven) keepsKeys.delete(account);
	if (!found) return task;
	const isSame = found.taskId === task.taskId;
	keepsKeys.set(account, isSame);
	// It is polled until its result is there.
	if (isSame && lacksResult(found)) return task;
	const latest = { ...found, held: found.held ?? task.held };
	if (isSame) return isProven ? latest : await waitWithKey(submission, latest, run);
	// The gateway ignores the key. The second task must not be paid, also after a stop.
	const until = client.context.clock.now() + CANCEL_MS;
	const afterStop = createClientAfterStop(client.context);
	const second = await cancelTask(afterStop, found.taskId, until).catch(() => found);
	// The observer outlives the run, so it must not hold it.
	record.add(second, { observe: (state) => record.update(state) });
	record.update(second);
	const outcome =
		second.status === 'cancelled'
			? 'was cancelled'
			: 'could not be cancelled. Look at it with Task > Get';
	run.summary.addWarning(
		`The gateway made a second task for one Idempotency Key. ${found.taskId} ${outcome}`,
	);
	return task;
}

/** Cancels a task that has not ended in time, since another model is tried then. */
async function cancelLate(task: Task, account: TaskAccount): Promise<Task> {
	const { client } = account.run;
	const { taskId: task_id } = task;
	const until = client.context.clock.now() + CANCEL_MS;
	const cancelled = await cancelTask(client, task_id, until).catch(() => task);
	account.observe(cancelled);
	const { status } = cancelled;
	if (status !== 'cancelled') return hasEnded(cancelled) ? cancelled : task;
	throw new GatewayError(
		'task_cancelled',
		`The task ${task_id} had not ended after ${account.plan.pollOptions.timeoutMs / 1000} s and was cancelled`,
		{ details: { task_id, status, billed: cancelled.cost ?? 0, is_late: true } },
	);
}

/** Cancels a task that holds more than a limit allows, which refunds it. */
export async function cancelExcess(
	task: Task,
	problem: string,
	account: TaskAccount,
): Promise<never> {
	const { taskId: task_id } = task;
	const { client } = account.run;
	const until = client.context.clock.now() + CANCEL_MS;
	const ended = await cancelTask(client, task_id, until).catch(() => task);
	account.observe(ended);
	const isCancelled = ended.status === 'cancelled';
	const outcome = isCancelled ? 'was cancelled and refunded' : 'could not be cancelled';
	throw new GatewayError('hold_above_limit', `${problem}. The task ${outcome}`, {
		...(!isCancelled && { hint: 'Look at it with Task > Get.' }),
		details: { task_id, status: ended.status, billed: isCancelled ? 0 : ended.cost },
	});
}
