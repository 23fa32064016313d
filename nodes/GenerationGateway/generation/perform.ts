import type { IDataObject } from 'n8n-workflow';
import { awaitTask } from '../../transport/await';
import { GatewayIssue } from '../../transport/errors';
import { LONGEST_PREFER_SECONDS, submitTask } from '../../transport/tasks';
import type { Task } from '../../wire/task';
import type { Output, Run } from '../operation';
import { assertDelivered, deliver } from './deliver';
import type { TaskPlan } from './plan';

/** Below the 60 s after which many proxies give up on a silent answer. */
const PREFER_SECONDS = Math.min(50, LONGEST_PREFER_SECONDS);

/**
 * How long the submission itself may wait for the result. Only while every item can wait in a call of
 * its own: with more items than calls at a time, the waiting ones would hold up the others.
 */
function preferSeconds({ wait, patience }: TaskPlan, { size, door }: Run): number {
  if (!wait || size > door.concurrency) return 0;
  return Math.min(PREFER_SECONDS, Math.floor(patience.timeoutMs / 1000));
}

/** Submits a planned task, waits for it when asked to, and delivers it. */
export async function performTask(plan: TaskPlan, run: Run): Promise<Output[]> {
  for (const message of plan.advice) run.ledger.note(message);
  if (plan.dryRun) return [{ json: rehearsed(plan) }];
  const { body, key, sheet, patience, delivery } = plan;
  const began = Date.now();
  const submitted = await submit(plan, run);
  const known = (task: Task): Task => ({ ...task, model: task.model ?? sheet.id, action: task.action ?? String(body.action ?? sheet.actions[0]) });
  if (!plan.wait) return [await deliver(known(submitted), delivery, run)];
  const left = { ...patience, timeoutMs: patience.timeoutMs - (Date.now() - began) };
  const task = known(await awaitTask(run.door, known(submitted), left, run.durations));
  assertDelivered(task);
  return [await deliver(task, delivery, run)];

  async function submit(of: TaskPlan, { door }: Run): Promise<Task> {
    try {
      return await submitTask(door, { body, key, preferSeconds: preferSeconds(of, run) });
    } catch (error) {
      const isUnknown = sheet.unknown && error instanceof GatewayIssue && error.standing.http_status === 400;
      if (!isUnknown) throw error;
      const advice = `Nothing was billed. This node has no table for ${sheet.id}, so it was sent unchecked; Model > Get Many lists what the gateway offers.`;
      throw new GatewayIssue(error.message, advice, error.standing);
    }
  }
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
