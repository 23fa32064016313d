import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../../catalog/labels';
import { sheetOf } from '../../catalog/modelSpec';
import { awaitTask } from '../../gateway/tasks/awaitTask';
import { GatewayIssue } from '../../gateway/errors';
import { LONGEST_PREFER_SECONDS, settle, submitTask } from '../../gateway/tasks/api';
import type { Task } from '../../gateway/tasks/schema';
import type { Output, Run } from '../operation';
import { assertDelivered, deliver } from './toItem';
import type { TaskPlan } from './planTask';
import { cancelledOnStop } from './cancelOnStop';

/** Below the 60 s after which many proxies give up on a silent answer. */
const PREFER_SECONDS = Math.min(50, LONGEST_PREFER_SECONDS);

/**
 * How long the submission itself may wait for the result. Only while every item can wait in a call of
 * its own: with more items than calls at a time, the waiting ones would hold up the others. A task that
 * is to be cancelled on stop is not waited for so either, since its ID comes with the answer.
 */
function preferSeconds({ wait, patience, cancelOnStop }: TaskPlan, { size, door }: Run): number {
  if (!wait || cancelOnStop || size > door.concurrency) return 0;
  return Math.min(PREFER_SECONDS, Math.floor(patience.timeoutMs / 1000));
}

/** Submits a planned task, waits for it when asked to, and delivers it. */
export async function performTask(plan: TaskPlan, run: Run): Promise<Output[]> {
  for (const message of plan.advice) run.ledger.note(message);
  if (plan.dryRun) return [{ json: rehearsed(plan) }];
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
  const { patience, delivery } = plan;
  const began = Date.now();
  const submitted = named(plan, await submit(plan, run));
  assertOwn(plan, submitted);
  if (!plan.wait) return await deliver(submitted, delivery, run);
  // The submission may have waited for its turn; only where it waited for the result is the task older than its answer.
  const since = preferSeconds(plan, run) ? began : Date.now();
  const left = { ...patience, since, timeoutMs: patience.timeoutMs - (Date.now() - since) };
  const wait = awaitTask(run.door, submitted, left, run.siblings);
  const task = named(plan, await cancelledOnStop(wait, submitted.taskId, plan.cancelOnStop, run));
  settle(plan.key, task);
  assertDelivered(task);
  return await deliver(task, delivery, run);
}

/** A key of the user's own that another node has used gives that node's task; models of one family may stand in for each other. */
function assertOwn({ isOwnKey, key, sheet }: TaskPlan, { taskId: task_id, model = '', status }: Task): void {
  const other = sheetOf(model);
  if (!isOwnKey || other.unknown || sheet.unknown || other.family === sheet.family) return;
  throw new GatewayIssue(
    `The gateway gave a task of ${model}, to which the Idempotency Key ${key} belongs already`,
    'Nothing was billed for this item. Give each node keys of its own, e.g. with the kind of output after the row ID.',
    { task_id, status, model, retry: false },
  );
}

async function submit(plan: TaskPlan, run: Run): Promise<Task> {
  const { body, key, sheet } = plan;
  try {
    return await submitTask(run.door, { body, key, preferSeconds: preferSeconds(plan, run) });
  } catch (error) {
    throw sheet.unknown ? uncheckedModel(sheet.id, error) : error;
  }
}

function uncheckedModel(id: string, error: unknown): unknown {
  if (!(error instanceof GatewayIssue) || error.standing.http_status !== 400) return error;
  const advice = `Nothing was billed. This node has no table for ${id}, so it was sent unchecked; Model > Get Many lists what the gateway offers.`;
  return new GatewayIssue(error.message, advice, error.standing);
}

/** The legacy reply and some status replies leave out what the request said. */
function named({ sheet, body }: TaskPlan, task: Task): Task {
  const { model = sheet.id, action = textOf(body.action ?? sheet.actions[0]) } = task;
  return { ...task, model, action };
}

/** What a dry run shows: the body as it would be sent, and what it would cost. */
function rehearsed({ body, estimate, advice }: TaskPlan): IDataObject {
  const isKnown = !('unknown' in estimate);
  return {
    dry_run: true,
    body,
    estimated_cost: isKnown ? estimate.quota : null,
    estimated_cost_usd: isKnown ? estimate.usd : null,
    ...('unknown' in estimate && { price: estimate.unknown }),
    advice,
  };
}
