import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import { usdOf } from '../../compile/cost';
import { download } from '../../transport/download';
import { GatewayIssue } from '../../transport/errors';
import type { Task } from '../../wire/task';
import type { Output, Run } from '../operation';
import type { Delivery } from './plan';

const orNull = <T>(value: T | undefined) => value ?? null;

/** The flat item of a task; times in ISO 8601, `cost` in quota once settled, the hold until then. */
export function flat(task: Task): IDataObject {
  const { cost } = task;
  return {
    task_id: task.taskId,
    model: orNull(task.model),
    action: orNull(task.action),
    status: task.status,
    progress: task.progress,
    created_at: orNull(task.createdAt),
    completed_at: orNull(task.completedAt),
    expires_at: orNull(task.expiresAt),
    urls: task.urls,
    cost: orNull(cost),
    cost_usd: cost === undefined ? null : usdOf(cost),
    ...(cost === undefined && task.held !== undefined && { pre_consumed_cost: task.held }),
    ...(task.reason !== undefined && { reason: task.reason }),
  };
}

/** The item of a task, with its files when they are asked for. */
export async function deliver(task: Task, { download: field, simplify }: Delivery, run: Run): Promise<Output> {
  run.ledger.book(task);
  const json = simplify ? flat(task) : (task.raw as IDataObject);
  if (!field || task.status !== 'completed') return { json };
  try {
    return { json, binary: await files(task, field, run) };
  } catch (error) {
    throw about(task, error);
  }
}

/** A file that did not arrive belongs to a task that is paid: the issue keeps its ID and its links. */
function about({ taskId: task_id, status, cost: billed, urls, expiresAt: expires_at }: Task, error: unknown): unknown {
  return error instanceof GatewayIssue ? error.with({ task_id, status, billed, urls, expires_at }) : error;
}

async function files({ taskId, urls }: Task, field: string, { host, door }: Run): Promise<IBinaryKeyData> {
  const named = urls.map((url, index) => ({ url, name: index ? `${field}_${index}` : field, index }));
  const stored = await Promise.all(
    named.map(async ({ url, name, index }) => [name, await download(host, url, `${taskId}_${index}`, door.signal)] as const),
  );
  return Object.fromEntries(stored);
}

/** Ends the item of a task that ended without a result, saying where the money stands. */
export function assertDelivered(task: Task): void {
  if (task.status !== 'failed' && task.status !== 'cancelled') return;
  const { taskId: task_id, status, model, cost: billed = 0 } = task;
  const refund = billed ? `${billed} quota were charged.` : 'It was refunded in full.';
  const advice =
    status === 'failed'
      ? `${refund} Run it again for a new task, or change the request.`
      : `${refund} Run it again for a new task.`;
  const why = task.reason ? `: ${task.reason}` : '';
  throw new GatewayIssue(`The task ${task_id} ${status === 'failed' ? 'failed' : 'was cancelled'}${why}`, advice, {
    task_id,
    status,
    model,
    billed,
    retry: status === 'failed',
  });
}
