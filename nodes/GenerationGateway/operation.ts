import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { GatewayClient } from '../gateway/client';
import type { Limiter } from '../gateway/concurrency';
import type { PollCoordinator } from '../gateway/tasks/pollCoordinator';
import type { ItemReader } from '../n8n/itemReader';
import type { Gallery } from '../n8n/items/gallery';
import type { OutputItem } from '../n8n/items/task';
import type { ExecutionRecord } from './account/executionRecord';
import type { Budget } from './account/budget';
import type { Reservation } from './account/charge';
import type { RowMemory } from './account/rowMemory';
import type { RunSummary } from './account/runSummary';
import type { TaskClaim } from './account/taskClaim';
import type { SuspendedTask } from './suspend/suspension';

/** What the items of one run share. */
export interface Run {
	context: IExecuteFunctions;
	client: GatewayClient;
	budget: Budget;
	reservations: Reservation[];
	rows: RowMemory;
	summary: RunSummary;
	gallery: Gallery;
	record: ExecutionRecord;
	coordinator: PollCoordinator;
	/** Tasks that are cancelled when the user stops the execution, unless another worker has the claim. */
	openTasks: Map<string, TaskClaim | undefined>;
	/** So many downloads, and requests that wait for a result, at once. */
	concurrency: number;
	downloadLimit: Limiter;
	/** Each pass of a loop is a run. */
	runIndex: number;
	itemCount: number;
	/** Creates a value for the first item that asks, and shares it with the others. */
	share<T>(name: string, create: () => T): T;
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
}
