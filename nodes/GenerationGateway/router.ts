import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';
import { createClient, redactKey } from '../gateway/client';
import { PollCoordinator } from '../gateway/tasks/pollCoordinator';
import { operationAt } from './actions';
import { RunBudget } from './runBudget';
import { failureToItem, createRunError, type Failure } from '../n8n/items/failure';
import type { ItemOutcome, Item, Operation, Output, Run } from './operation';

const DEFAULT_CONCURRENCY = 20;

function itemAt(host: IExecuteFunctions, index: number): Item {
	const get = (name: string, fallback?: unknown): unknown =>
		host.getNodeParameter(name, index, fallback);
	return {
		index,
		context: host,
		get,
		options: host.getNodeParameter('options', index, {}) as Item['options'],
	};
}

function operationOf(host: IExecuteFunctions): Operation {
	const [resource, name] = ['resource', 'operation'].map((menu) =>
		String(host.getNodeParameter(menu, 0)),
	);
	const operation = operationAt(resource!, name!);
	if (operation) return operation;
	throw new NodeOperationError(
		host.getNode(),
		`The menu has no operation "${name}" for "${resource}"`,
		{
			description: 'Choose Resource and Operation again.',
		},
	);
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

function createRun(host: IExecuteFunctions, size: number): Run {
	const shared = new Map<string, unknown>();
	return {
		context: host,
		size,
		once<Made>(name: string, make: () => Made): Made {
			if (!shared.has(name)) shared.set(name, make());
			return shared.get(name) as Made;
		},
		client: createClient(host, { concurrency: concurrencyOf(host) }),
		budget: new RunBudget(),
		coordinator: new PollCoordinator(),
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
	const run = createRun(host, items.length);

	const plans: ({ plan: unknown } | { error: unknown })[] = [];
	for (let index = 0; index < items.length; index += 1)
		plans.push(
			await attempt(host, async () => ({ plan: await operation.plan(itemAt(host, index), run) })),
		);
	stopAt(failuresIn(plans.map((plan) => [plan])));

	const ends = await Promise.all(
		plans.map(async (plan): Promise<ItemOutcome[]> =>
			'error' in plan
				? [plan]
				: [await attempt(host, () => operation.perform(plan.plan, run))].flat(),
		),
	);
	stopAt(
		failuresIn(ends),
		ends.flat().filter((end) => 'json' in end),
	);
	const output = ends.flatMap((ofItem, index) => ofItem.map((end) => outputItem(end, index)));
	if (run.suspendUntil) return await suspendExecution(host, output, run.suspendUntil);
	host.addExecutionHints?.(...run.budget.hints());
	return [output];

	function stopAt(failures: Failure[], done?: Output[]): void {
		if (failures.length && !goOn)
			throw createRunError(host.getNode(), failures, items.length, done);
	}
}

/**
 * Parks the execution. What stands in the node's input then is what goes on when the time runs out; a list of
 * its own, since n8n empties the one that is returned where the node has an error output.
 */
async function suspendExecution(
	host: IExecuteFunctions,
	output: INodeExecutionData[],
	until: Date,
): Promise<INodeExecutionData[][]> {
	host.getExecuteData().data.main = [[...output]];
	await host.putExecutionToWait(until);
	return [output];
}

async function attempt<Done>(
	host: IExecuteFunctions,
	work: () => Promise<Done>,
): Promise<Done | { error: unknown }> {
	try {
		return await work();
	} catch (error) {
		return { error: await redactKey(host, error) };
	}
}

const failuresIn = (ends: readonly (readonly object[])[]): Failure[] =>
	ends.flatMap((ofItem, index) =>
		ofItem.flatMap((end) => ('error' in end ? [{ error: end.error, index }] : [])),
	);

const outputItem = (end: ItemOutcome, index: number): INodeExecutionData =>
	'error' in end
		? failureToItem({ error: end.error, index })
		: { ...end, pairedItem: { item: index } };
