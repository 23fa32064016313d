import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { startSandbox } from '../../sandbox';
import { linear, type WorkflowJson } from '../engine';
import { Host } from '../host/host';
import { installHost } from '../host/install';
import { installPackage, pack } from '../host/userFolder';
import { versionOf } from '../host/versions';
import { startServices } from './services';

const EXECUTIONS = 20;
const TASKS_EACH = 10;
const TASK_MS = 8_000;
/** A worker's lock on a job ends after this; then n8n knows that the worker has died. */
const LOCK_MS = 15_000;
const PATIENCE_MS = 240_000;

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function batch(): WorkflowJson & { id: string } {
  const rows = `={{ JSON.stringify({ rows: Array.from({ length: ${TASKS_EACH} }, (_, row) => ({ name: $json.body.batch + '-' + row })) }) }}`;
  const workflow = linear(
    {
      name: 'Batch',
      type: 'n8n-nodes-base.webhook',
      typeVersion: 2,
      webhookId: 'batch',
      parameters: { httpMethod: 'POST', path: 'batch', options: {} },
    },
    { type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: { mode: 'raw', jsonOutput: rows, options: {} } },
    { type: 'n8n-nodes-base.splitOut', parameters: { fieldToSplitOut: 'rows', options: {} } },
    {
      type: 'n8n-nodes-generation-gateway.generationGateway',
      credentials: 'generationGatewayApi',
      parameters: {
        resource: 'image',
        operation: 'generate',
        prompt: '={{ $json.name }}',
        options: { idempotencyKey: '={{ $json.name }}' },
      },
    },
  );
  return { ...workflow, id: 'queuedBatch', name: 'Queued batch', settings: { executionOrder: 'v1' } };
}

interface Listed {
  results: { id: string; status: string }[];
}

/** Starts every execution; sent again, they ask for the same rows under the same keys. */
async function send({ url }: Host): Promise<void> {
  await Promise.all(Array.from({ length: EXECUTIONS }, (_, index) => axios.post(`${url}/webhook/batch`, { batch: `batch-${index}` })));
}

/** The executions by status, once there are as many and none is waiting or running. */
async function settled(host: Host, many: number): Promise<Record<string, string[]>> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const { results } = await host.rest<Listed>('GET', '/executions?limit=100');
    const byStatus: Record<string, string[]> = {};
    for (const { id, status } of results) (byStatus[status] ??= []).push(id);
    const isOver = results.length >= many && !['new', 'running', 'waiting'].some((status) => byStatus[status]);
    if (isOver || Date.now() > until) return byStatus;
    await after(1_000);
  }
}

const counted = (byStatus: Record<string, string[]>) =>
  Object.entries(byStatus).map(([status, ids]) => `${ids.length} ${status}`).join(', ');

/**
 * A main process and two workers on Redis and PostgreSQL; a batch of executions over both; one worker
 * killed with -9 in the middle; then the whole batch once more, as a scheduler would. Ends with 1 when a task is lost or made twice.
 */
async function main(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'queue-'));
  const [sandbox, services] = [await startSandbox({ taskMs: TASK_MS }), await startServices(folder)];
  const workers: ChildProcess[] = [];
  const env = { ...services.env, QUEUE_WORKER_LOCK_DURATION: String(LOCK_MS), QUEUE_WORKER_STALLED_INTERVAL: '5000', QUEUE_WORKER_LOCK_RENEW_TIME: '5000' };
  const userFolder = path.join(folder, 'user');
  const host = await Host.make(await installHost(versionOf('newest')), { userFolder, env });
  try {
    await installPackage(userFolder, await pack(path.join(folder, 'pack')));
    await host.importCredential({ baseUrl: sandbox.url, apiKey: sandbox.key });
    await host.importWorkflows([batch()]);
    await host.start();
    await host.signIn();
    await host.publish('queuedBatch');
    for (const port of ['5751', '5761']) workers.push(host.launch(['worker', '--concurrency=5'], { N8N_RUNNERS_BROKER_PORT: port }));
    await after(15_000);

    console.log(`${EXECUTIONS} executions of ${TASKS_EACH} tasks of ${TASK_MS / 1000} s, over two workers:`);
    const began = Date.now();
    await send(host);
    await after(4_000);
    workers[0]!.kill('SIGKILL');
    console.log(`  one worker killed with -9 after ${Math.round((Date.now() - began) / 1000)} s, ${sandbox.tasks().length} tasks under way`);
    const first = await settled(host, EXECUTIONS);
    console.log(`  ${counted(first)} after ${Math.round((Date.now() - began) / 1000)} s; n8n gives up the executions of a worker that died`);
    await send(host);
    const second = await settled(host, 2 * EXECUTIONS);
    const done = (second.success?.length ?? 0) - (first.success?.length ?? 0);

    const prompts = sandbox.tasks().map(({ body }) => String(body.prompt));
    const twice = prompts.length - new Set(prompts).size;
    const lost = EXECUTIONS * TASKS_EACH - new Set(prompts).size;
    console.log(`  all sent once more: ${done} of ${EXECUTIONS} succeeded after ${Math.round((Date.now() - began) / 1000)} s`);
    console.log(`  ${prompts.length} tasks made, ${twice} made twice, ${lost} lost`);
    process.exitCode = twice || lost || done !== EXECUTIONS ? 1 : 0;
    if (process.exitCode) console.log(host.printed().slice(-3000));
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
    await host.stop();
    await services.stop();
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}

main().catch((reason: unknown) => {
  console.error(reason);
  process.exitCode = 1;
});
