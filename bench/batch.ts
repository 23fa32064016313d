import { startSandbox } from '../sandbox';
import { itemsNode, linear, runWorkflow } from '../scripts/engine';
import { packageWith, typeOf } from '../scripts/package';

const TASKS = 100;
const TASK_MS = 3_000;
const CONCURRENCY = [20, 50];

/** One node run that submits and awaits a batch of tasks, against the slowest task as the limit. */
async function main(): Promise<void> {
  const sandbox = await startSandbox({ taskMs: TASK_MS });
  try {
    console.log(`${TASKS} tasks of ${TASK_MS / 1000} s, submitted and awaited in one node run, through n8n's engine:`);
    for (const concurrency of CONCURRENCY) {
      sandbox.reset();
      const began = performance.now();
      const run = await runWorkflow(
        linear(itemsNode(Array.from({ length: TASKS }, (_, row) => ({ row }))), {
          type: typeOf('generationGateway'),
          credentials: 'generationGatewayApi',
          parameters: { resource: 'image', operation: 'generate', prompt: '=Picture {{ $json.row }}', options: { concurrency } },
        }),
        packageWith(sandbox.url, sandbox.key),
      );
      const seconds = (performance.now() - began) / 1000;
      const done = run.items('generationGateway').filter(({ json }) => json.status === 'completed').length;
      const polls = sandbox.requests.filter(({ method }) => method === 'GET').length;
      console.log(
        `  concurrency ${concurrency}: ${done} completed in ${seconds.toFixed(2)} s (${(seconds / (TASK_MS / 1000)).toFixed(2)} x the slowest task), ${(polls / TASKS).toFixed(1)} looks a task`,
      );
    }
  } finally {
    await sandbox.close();
  }
}

main().catch((reason: unknown) => {
  console.error(reason);
  process.exitCode = 1;
});
