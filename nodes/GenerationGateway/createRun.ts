import type { IExecuteFunctions } from 'n8n-workflow';
import { createLimiter } from '../gateway/concurrency';
import { PollCoordinator } from '../gateway/tasks/pollCoordinator';
import { createNodeClient } from '../n8n/gatewayContext';
import { ItemReader } from '../n8n/itemReader';
import { Gallery } from '../n8n/items/gallery';
import { concurrency, DEFAULT_CONCURRENCY, MOST_CONCURRENCY } from '../n8n/options';
import { systemClock } from '../n8n/systemClock';
import { Budget } from './account/budget';
import { ExecutionRecord } from './account/executionRecord';
import { RowMemory } from './account/rowMemory';
import { RunSummary } from './account/runSummary';
import type { Run } from './operation';
import { readDurations } from './tasks/durationMemory';

/** The items of a run. */
export interface ItemSource {
	count: number;
	read(index: number): ItemReader;
	/** A failed item becomes an item with its error. */
	continuesOnFail: boolean;
}

export const itemsOf = (context: IExecuteFunctions): ItemSource => ({
	count: context.getInputData().length,
	read: (index) => new ItemReader(context, index),
	continuesOnFail: context.continueOnFail(),
});

/** Read from the first item. Where it cannot be read, the item is refused later. */
function concurrencyOf(source: ItemSource): number | undefined {
	try {
		return source.read(0).option(concurrency);
	} catch {
		return undefined;
	}
}

export function createRun(context: IExecuteFunctions, source: ItemSource): Run {
	const shared = new Map<string, unknown>();
	const chosen = concurrencyOf(source);
	const atOnce = chosen ?? DEFAULT_CONCURRENCY;
	const runIndex = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
	const run: Run = {
		context,
		client: createNodeClient(context, { concurrency: chosen ?? MOST_CONCURRENCY }, (task) =>
			run.record.observe(task),
		),
		concurrency: atOnce,
		runIndex,
		itemCount: source.count,
		budget: Budget.of(context.getContext('node')),
		reservations: [],
		rows: new RowMemory(context, runIndex),
		openTasks: new Map(),
		summary: new RunSummary(),
		gallery: new Gallery(),
		coordinator: new PollCoordinator(systemClock, readDurations(context)),
		downloadLimit: createLimiter(atOnce),
		share<T>(name: string, create: () => T): T {
			if (!shared.has(name)) shared.set(name, create());
			return shared.get(name) as T;
		},
		// Nothing may throw between this and `leave`.
		record: ExecutionRecord.enter(context),
	};
	return run;
}
