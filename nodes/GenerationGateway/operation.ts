import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { GatewayClient } from '../gateway/client';
import { createLimiter, type Limiter } from '../gateway/concurrency';
import { PollCoordinator } from '../gateway/tasks/pollCoordinator';
import { hasEnded } from '../gateway/tasks/schema';
import { createNodeClient } from '../n8n/gatewayContext';
import { ItemReader } from '../n8n/itemReader';
import { Gallery } from '../n8n/items/gallery';
import type { OutputItem } from '../n8n/items/task';
import { concurrency, DEFAULT_CONCURRENCY, MOST_CONCURRENCY } from '../n8n/options';
import { systemClock } from '../n8n/systemClock';
import { Budget } from './account/budget';
import type { Reservation } from './account/charge';
import { ExecutionRecord } from './account/executionRecord';
import { RowMemory } from './account/rowMemory';
import { RunSummary } from './account/runSummary';
import type { ConfirmClaim } from './account/taskClaim';
import type { SuspendedTask } from './suspend/storedSuspension';
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

/** What the items of one run share. */
export class Run {
	readonly client: GatewayClient;
	readonly budget: Budget;
	readonly reservations: Reservation[] = [];
	readonly rows: RowMemory;
	readonly summary = new RunSummary();
	readonly gallery = new Gallery();
	readonly record: ExecutionRecord;
	readonly coordinator: PollCoordinator;
	/** Tasks that are cancelled when the user stops the execution, unless another worker has the claim. */
	readonly openTasks = new Map<string, ConfirmClaim | undefined>();
	/** So many downloads, and requests that wait for a result, at once. */
	readonly concurrency: number;
	readonly downloadLimit: Limiter;
	/** Each pass of a loop is a run. */
	readonly runIndex: number;
	readonly itemCount: number;
	private readonly shared = new Map<string, unknown>();

	constructor(
		readonly context: IExecuteFunctions,
		source: ItemSource,
	) {
		// Where it cannot be read, the first item is refused later.
		const chosen = source.read(0).optionAlone(concurrency);
		this.client = createNodeClient(context, { concurrency: chosen ?? MOST_CONCURRENCY }, (task) => {
			if (hasEnded(task)) this.openTasks.delete(task.taskId);
			this.record.observe(task);
		});
		this.concurrency = chosen ?? DEFAULT_CONCURRENCY;
		this.downloadLimit = createLimiter(this.concurrency);
		this.runIndex = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
		this.itemCount = source.count;
		this.budget = Budget.of(context.getContext('node'));
		this.rows = new RowMemory(context, this.runIndex);
		this.coordinator = new PollCoordinator(systemClock, readDurations(context));
		// Nothing may throw between this and `leave`.
		this.record = ExecutionRecord.enter(context);
	}

	/** Creates a value for the first item that asks, and shares it with the others. */
	readonly share = <T>(name: string, create: () => T): T => {
		if (!this.shared.has(name)) this.shared.set(name, create());
		return this.shared.get(name) as T;
	};
}

/**
 * The result of one thing that an item asked for. A list of task IDs has several. A task may be left to the
 * suspended execution.
 */
export type ItemOutcome = OutputItem | { error: unknown } | { suspended: SuspendedTask };

/**
 * One entry of the menu. `plan` reads and checks an item and sends nothing that is billed, so that the whole run can be
 * refused before anything is paid. `perform` does the work. Both may throw. Only the router loops over items,
 * pairs them and continues on fail.
 */
export interface Operation<Plan = unknown> {
	/** Its panel; the menu adds the conditions that show it. */
	properties: INodeProperties[];
	plan(item: ItemReader, run: Run): Plan | Promise<Plan>;
	perform(plan: Plan, run: Run): Promise<ItemOutcome[]>;
	/** Each item makes a task. */
	makesTasks?: true;
}
