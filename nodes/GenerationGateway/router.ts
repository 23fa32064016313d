import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';
import { openDoor } from '../transport/door';
import { operationAt } from './actions';
import { Ledger } from './ledger';
import { failedItem, runError, type Failure } from './failure';
import type { Item, Operation, Output, Run } from './operation';

const DEFAULT_CONCURRENCY = 20;

function itemAt(host: IExecuteFunctions, index: number): Item {
  const get = (name: string, fallback?: unknown): unknown => host.getNodeParameter(name, index, fallback);
  return { index, host, get, options: host.getNodeParameter('options', index, {}) as Item['options'] };
}

function operationOf(host: IExecuteFunctions): Operation {
  const [resource, name] = ['resource', 'operation'].map((menu) => String(host.getNodeParameter(menu, 0)));
  const operation = operationAt(resource!, name!);
  if (operation) return operation;
  throw new NodeOperationError(host.getNode(), `The menu has no operation "${name}" for "${resource}"`, {
    description: 'Choose Resource and Operation again.',
  });
}

function openRun(host: IExecuteFunctions, size: number): Run {
  const { concurrency } = host.getNodeParameter('options', 0, {}) as { concurrency?: number };
  const shared = new Map<string, unknown>();
  return {
    host,
    size,
    once<Made>(name: string, make: () => Made): Made {
      if (!shared.has(name)) shared.set(name, make());
      return shared.get(name) as Made;
    },
    door: openDoor(host, { concurrency: Number(concurrency) || DEFAULT_CONCURRENCY }),
    ledger: new Ledger(),
    durations: new Map(),
  };
}

type Settled = { outputs: Output[] } | Failure;

/**
 * The one loop over items. All are read and checked first; when one cannot be sent and the node does
 * not continue on fail, nothing is sent at all. The rest then run side by side within the limit of the
 * door, and come out in order, paired with their input.
 */
export async function route(host: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const items = host.getInputData();
  const goOn = host.continueOnFail();
  const operation = operationOf(host);
  const run = openRun(host, items.length);

  const plans: ({ plan: unknown } | Failure)[] = [];
  for (let index = 0; index < items.length; index += 1)
    plans.push(await attempt(index, async () => ({ plan: await operation.plan(itemAt(host, index), run) })));
  const refused = plans.filter((plan) => 'error' in plan);
  if (refused.length && !goOn) throw runError(host.getNode(), refused, items.length);

  const settled = await Promise.all(
    plans.map(async (plan, index): Promise<Settled> =>
      'error' in plan
        ? plan
        : await attempt(index, async () => ({ outputs: await operation.perform(plan.plan, run) })),
    ),
  );
  const failed = settled.filter((end) => 'error' in end);
  if (failed.length && !goOn) {
    const done = settled.flatMap((end) => ('outputs' in end ? end.outputs : []));
    throw runError(host.getNode(), failed, items.length, done);
  }
  host.addExecutionHints?.(...run.ledger.hints());
  return [settled.flatMap((end, index) => outputItems(end, index))];
}

async function attempt<Done>(index: number, work: () => Promise<Done>): Promise<Done | Failure> {
  try {
    return await work();
  } catch (error) {
    return { error, index };
  }
}

function outputItems(end: Settled, index: number): INodeExecutionData[] {
  if ('error' in end) return [failedItem(end)];
  return end.outputs.map((output) => ({ ...output, pairedItem: { item: index } }));
}
