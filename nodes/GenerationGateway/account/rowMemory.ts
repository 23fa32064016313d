import type { IExecuteFunctions } from 'n8n-workflow';
import type { Asset } from '../../gateway/assets/schema';
import { BoundedMap } from '../../gateway/boundedMap';
import type { OutputItem } from '../../n8n/items/task';
import type { TaskPlan } from '../tasks/taskPlan';

const MOST_ROWS = 20_000;
/** Characters of JSON in outputs, and the least that an output counts for. */
const MOST_CHARACTERS = 100_000_000;
const LEAST_CHARACTERS = 5_000;

const sizeOf = (items: OutputItem[]): number =>
	Math.max(LEAST_CHARACTERS, JSON.stringify(items.map(({ json }) => json)).length);

/** Undefined unless the node has Retry On Fail. */
function nameOfRun(context: IExecuteFunctions, runIndex: number): string | undefined {
	const executionId = context.getExecutionId();
	const { id, retryOnFail } = context.getNode();
	if (!retryOnFail || !executionId) return undefined;
	return [context.getWorkflow().id, executionId, id, runIndex].join(' ');
}

/**
 * What the rows of a run have submitted, uploaded or paid for. Retry On Fail runs the whole node again: a row keeps its
 * task even when its expressions give something else, and does not pay again for an output without a key,
 * e.g. text.
 */
export class RowMemory {
	private static readonly plans = new BoundedMap<string, TaskPlan>(MOST_ROWS);
	private static readonly assets = new BoundedMap<string, Asset>(MOST_ROWS);
	private static readonly outputs = new BoundedMap<string, OutputItem[]>(MOST_CHARACTERS, {
		sizeOf,
	});

	/** For tests: as in a new process. */
	static clear(): void {
		for (const map of [RowMemory.plans, RowMemory.assets, RowMemory.outputs]) map.clear();
	}

	private readonly run: string | undefined;

	constructor(context: IExecuteFunctions, runIndex: number) {
		this.run = nameOfRun(context, runIndex);
	}

	planOf(index: number): TaskPlan | undefined {
		return RowMemory.plans.get(this.nameOf(index));
	}

	keepPlan(plan: TaskPlan): void {
		if (this.run) RowMemory.plans.set(this.nameOf(plan.index), plan);
	}

	/** One that is still under review. */
	assetOf(index: number): Asset | undefined {
		return RowMemory.assets.get(this.nameOf(index));
	}

	keepAsset(index: number, asset: Asset): void {
		if (this.run) RowMemory.assets.set(this.nameOf(index), asset);
	}

	outputsOf(index: number): OutputItem[] | undefined {
		return RowMemory.outputs.get(this.nameOf(index));
	}

	keepOutputs(index: number, outputs: OutputItem[]): void {
		if (this.run) RowMemory.outputs.set(this.nameOf(index), outputs);
	}

	forget(index: number): void {
		const name = this.nameOf(index);
		for (const map of [RowMemory.plans, RowMemory.assets, RowMemory.outputs]) map.delete(name);
	}

	private readonly nameOf = (index: number) => `${this.run} ${index}`;
}
