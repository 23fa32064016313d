import type { IExecuteFunctions } from 'n8n-workflow';
import type { Asset } from '../../gateway/assets/schema';
import { BoundedMap } from '../../gateway/boundedMap';
import type { Vector } from '../../gateway/embeddings/embedder';
import type { OutputItem } from '../../n8n/items/task';
import type { TaskPlan } from '../tasks/taskPlan';

const MOST_ROWS = 20_000;
/** Characters of JSON in outputs, and the least that an output counts for. */
const MOST_CHARACTERS = 100_000_000;
const LEAST_CHARACTERS = 5_000;
/** Up to 25 KB each. */
const MOST_VECTORS = 4_000;

/** What a row has submitted, uploaded or paid for. */
interface Kept {
	plan: TaskPlan;
	/** Under review. */
	asset: Asset;
	outputs: OutputItem[];
	/** By text, of a list that has failed in part. */
	vectors: ReadonlyMap<string, Vector>;
}

const memories: { [Kind in keyof Kept]: BoundedMap<string, Kept[Kind]> } = {
	plan: new BoundedMap(MOST_ROWS),
	asset: new BoundedMap(MOST_ROWS),
	outputs: new BoundedMap(MOST_CHARACTERS, {
		sizeOf: (items) =>
			Math.max(LEAST_CHARACTERS, JSON.stringify(items.map(({ json }) => json)).length),
	}),
	vectors: new BoundedMap(MOST_VECTORS, { sizeOf: ({ size }) => size }),
};

/** Undefined unless the node has Retry On Fail. */
function nameOfRun(context: IExecuteFunctions, runIndex: number): string | undefined {
	const executionId = context.getExecutionId();
	const { id, retryOnFail } = context.getNode();
	if (!retryOnFail || !executionId) return undefined;
	return [context.getWorkflow().id, executionId, id, runIndex].join(' ');
}

/**
 * Retry On Fail runs the whole node again: a row keeps its task even when its expressions give something else,
 * and does not pay again for what has no key, e.g. text.
 */
export class RowMemory {
	/** For tests: as in a new process. */
	static clear(): void {
		for (const memory of Object.values(memories)) memory.clear();
	}

	private readonly run: string | undefined;

	constructor(context: IExecuteFunctions, runIndex: number) {
		this.run = nameOfRun(context, runIndex);
	}

	get<Kind extends keyof Kept>(kind: Kind, index: number): Kept[Kind] | undefined {
		return memories[kind].get(this.nameOf(index));
	}

	keep<Kind extends keyof Kept>(kind: Kind, index: number, value: Kept[Kind]): void {
		if (this.run) memories[kind].set(this.nameOf(index), value);
	}

	forget(index: number): void {
		for (const memory of Object.values(memories)) memory.delete(this.nameOf(index));
	}

	private readonly nameOf = (index: number) => `${this.run} ${index}`;
}
