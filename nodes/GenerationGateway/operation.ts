import {
	updateDisplayOptions,
	type IBinaryKeyData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeProperties,
} from 'n8n-workflow';
import type { Issue } from '../catalog/validate';
import type { GatewayClient } from '../gateway/client';
import type { PollCoordinator } from '../gateway/tasks/pollCoordinator';
import type { RunBudget } from './runBudget';

/** One input item, as an operation reads its parameters. */
export interface Item {
	index: number;
	context: IExecuteFunctions;
	/** The parameter with its expressions resolved for this item. */
	get(name: string, fallback?: unknown): unknown;
	options: IDataObject;
}

/** What the items of one run share. */
export interface Run {
	context: IExecuteFunctions;
	client: GatewayClient;
	budget: RunBudget;
	coordinator: PollCoordinator;
	/** Set by an operation whose items wait for callbacks: the execution is parked once all items are done. */
	suspendUntil?: Date;
	/** How many items the run has. */
	size: number;
	/** What is made for the first item that asks and shared with the others, e.g. a batch. */
	once<Made>(name: string, make: () => Made): Made;
}

export interface Output {
	json: IDataObject;
	binary?: IBinaryKeyData;
}

/** What became of one thing that an item asked for: most ask for one, a list of task IDs for several. */
export type ItemOutcome = Output | { error: unknown };

/**
 * One entry of the menu. `plan` reads and checks an item without touching the network, so that the
 * whole run can be refused before anything is paid; `perform` does the work. Both throw what went
 * wrong, or give it as one of several ends; the router alone loops over items, pairs them and continues on fail.
 */
export interface Operation<Plan = unknown> {
	properties: INodeProperties[];
	plan(item: Item, run: Run): Plan | Promise<Plan>;
	perform(plan: Plan, run: Run): Promise<ItemOutcome[]>;
}

/** An item that cannot be sent as it is: every reason at once. */
export class InputError extends Error {
	constructor(readonly issues: readonly Issue[]) {
		super(issues.map(({ message }) => message).join('\n'));
		this.name = 'InputIssue';
	}
}

/** Shows properties only under one entry of the menu. */
export function showUnderOperation(
	resource: string,
	operations: string[],
	properties: INodeProperties[],
): INodeProperties[] {
	return updateDisplayOptions(
		{ show: { resource: [resource], operation: operations } },
		properties,
	);
}
