import type { IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../gateway/boundedMap';
import type { TaskPlan } from '../tasks/taskPlan';

const MOST_ROWS = 20_000;

/** Undefined unless the node has Retry On Fail. */
function nameOfRun(context: IExecuteFunctions, runIndex: number): string | undefined {
	const executionId = context.getExecutionId();
	const { id, retryOnFail } = context.getNode();
	if (!retryOnFail || !executionId) return undefined;
	return [context.getWorkflow().id, executionId, id, runIndex].join(' ');
}

/**
 * What the rows of a run have submitted. Retry On Fail runs the whole node again, and a row keeps its task
 * even when its expressions give something else.
 */
export class RowMemory {
	private static readonly plans = new BoundedMap<string, TaskPlan>(MOST_ROWS);

	private readonly run: string | undefined;

	constructor(context: IExecuteFunctions, runIndex: number) {
		this.run = nameOfRun(context, runIndex);
	}

	get(index: number): TaskPlan | undefined {
		const name = this.nameOf(index);
		return name === undefined ? undefined : RowMemory.plans.get(name);
	}

	keep(plan: TaskPlan): void {
		const name = this.nameOf(plan.index);
		if (name !== undefined) RowMemory.plans.set(name, plan);
	}

	forget(index: number): void {
		const name = this.nameOf(index);
		if (name !== undefined) RowMemory.plans.delete(name);
	}

	/** The name of a row in this memory. */
	nameOf(index: number): string | undefined {
		return this.run && `${this.run} ${index}`;
	}
}
