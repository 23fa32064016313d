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
import type { SuspendedTask } from './suspend/suspension';

/** What the items of one run share. */
export interface Run {
	context: IExecuteFunctions;
	client: GatewayClient;
	budget: Budget;
	/** Of the rows of this run. */
	reservations: Reservation[];
	rows: RowMemory;
	summary: RunSummary;
	gallery: Gallery;
	record: ExecutionRecord;
	coordinator: PollCoordinator;
	/** Running tasks that are cancelled when the user stops the execution. */
	openTasks: Set<string>;
	/** So many files are loaded at once. */
	downloadLimit: Limiter;
	/** Which run of the node within the execution this is: each pass of a loop is one. */
	runIndex: number;
	itemCount: number;
	/** What is made for the first item that asks and shared with the others, e.g. a batch. */
	share<T>(name: string, create: () => T): T;
}

/**
 * What became of one thing that an item asked for: most ask for one, a list of task IDs for several.
 * A task may be left for the time when the execution, suspended once all items are done, goes on.
 */
export type ItemOutcome = OutputItem | { error: unknown } | { suspended: SuspendedTask };

/**
 * One entry of the menu. `plan` reads and checks an item without touching the network, so that the
 * whole run can be refused before anything is paid; `perform` does the work. Both throw what went
 * wrong, or give it as one of several outcomes; the router alone loops over items, pairs them and
 * continues on fail.
 */
export interface Operation<Plan = unknown> {
	/** Its panel; the menu adds the conditions that show it. */
	properties: INodeProperties[];
	/** Every request is billed, since no key lets a repeat land on the first: outputs are remembered for retries. */
	isPaidPerCall?: true;
	plan(item: ItemReader, run: Run): Plan | Promise<Plan>;
	perform(plan: Plan, run: Run): Promise<ItemOutcome[]>;
}
