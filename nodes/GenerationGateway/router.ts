import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';
import { openDoor, withoutKey } from '../gateway/client';
import { Siblings } from '../gateway/tasks/pollCoordinator';
import { operationAt } from './actions';
import { Ledger } from './runBudget';
import { failedItem, runError, type Failure } from '../n8n/items/failure';
import type { End, Item, Operation, Output, Run } from './operation';

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

/** One for the run, read from its first item; when that cannot be read, its plan says so, and the other items go on. */
function concurrencyOf(host: IExecuteFunctions): number {
  try {
    const { concurrency } = host.getNodeParameter('options', 0, {}) as { concurrency?: number };
    return Number(concurrency) || DEFAULT_CONCURRENCY;
  } catch {
    return DEFAULT_CONCURRENCY;
  }
}

function openRun(host: IExecuteFunctions, size: number): Run {
  const shared = new Map<string, unknown>();
  return {
    host,
    size,
    once<Made>(name: string, make: () => Made): Made {
      if (!shared.has(name)) shared.set(name, make());
      return shared.get(name) as Made;
    },
    door: openDoor(host, { concurrency: concurrencyOf(host) }),
    ledger: new Ledger(),
    siblings: new Siblings(),
  };
}

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

  const plans: ({ plan: unknown } | { error: unknown })[] = [];
  for (let index = 0; index < items.length; index += 1)
    plans.push(await attempt(host, async () => ({ plan: await operation.plan(itemAt(host, index), run) })));
  stopAt(failuresIn(plans.map((plan) => [plan])));

  const ends = await Promise.all(
    plans.map(async (plan): Promise<End[]> =>
      'error' in plan ? [plan] : [await attempt(host, () => operation.perform(plan.plan, run))].flat(),
    ),
  );
  stopAt(failuresIn(ends), ends.flat().filter((end) => 'json' in end));
  const output = ends.flatMap((ofItem, index) => ofItem.map((end) => outputItem(end, index)));
  if (run.parkUntil) return await park(host, output, run.parkUntil);
  host.addExecutionHints?.(...run.ledger.hints());
  return [output];

  function stopAt(failures: Failure[], done?: Output[]): void {
    if (failures.length && !goOn) throw runError(host.getNode(), failures, items.length, done);
  }
}

/**
 * Parks the execution. What stands in the node's input then is what goes on when the time runs out; a list of
 * its own, since n8n empties the one that is returned where the node has an error output.
 */
async function park(host: IExecuteFunctions, output: INodeExecutionData[], until: Date): Promise<INodeExecutionData[][]> {
  host.getExecuteData().data.main = [[...output]];
  await host.putExecutionToWait(until);
  return [output];
}

async function attempt<Done>(host: IExecuteFunctions, work: () => Promise<Done>): Promise<Done | { error: unknown }> {
  try {
    return await work();
  } catch (error) {
    return { error: await withoutKey(host, error) };
  }
}

const failuresIn = (ends: readonly (readonly object[])[]): Failure[] =>
  ends.flatMap((ofItem, index) => ofItem.flatMap((end) => ('error' in end ? [{ error: end.error, index }] : [])));

const outputItem = (end: End, index: number): INodeExecutionData =>
  'error' in end ? failedItem({ error: end.error, index }) : { ...end, pairedItem: { item: index } };
