import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Asset } from '../../gateway/assets/schema';
import type { Vector } from '../../gateway/embeddings/embedder';
import { canonicalJson } from '../../gateway/tasks/idempotencyKeys';
import type { OutputItem } from '../../n8n/items/task';
import type { TaskPlan } from '../tasks/taskPlan';

/** What a row has paid for or changed with a request that no key protects. */
export interface PaidRow {
	/** A hash of the request. */
	request: string;
	outputs?: OutputItem[];
	/** Under review. */
	asset?: Asset;
	/** By text, of a list that has failed in part. */
	vectors?: Record<string, Vector>;
}

/** Kept by n8n with the execution. A Retry gets what the failed one has left. */
interface Stored {
	executionId: string;
	rows: Record<string, PaidRow>;
}

const ROWS = 'generationGatewayRows';

/**
 * The rows of one run that are not done. Retry On Fail and Retry in the list of executions run the whole node
 * again, and must not pay again for what they find here.
 */
export class RowMemory {
	private static readonly plansOfNodes = new WeakMap<IDataObject, Map<string, TaskPlan>>();

	/** Rows that the failed execution has paid for. */
	reusedCount = 0;
	private readonly plans: Map<string, TaskPlan>;
	private readonly rows: Record<string, PaidRow>;
	/** Calls of a tool have the same index, and may run at once. */
	private readonly isKept: boolean;
	/** The node has Retry On Fail. */
	readonly hasNextTry: boolean;
	/** Retry On Fail runs the node again, maybe with other values of its expressions. */
	private readonly isNextTry: boolean;

	constructor(
		context: IExecuteFunctions,
		private readonly runIndex: number,
	) {
		const { type, retryOnFail = false } = context.getNode();
		const executionId = context.getExecutionId();
		this.isKept = Boolean(executionId) && !type.endsWith('Tool');
		this.hasNextTry = this.isKept && retryOnFail;
		const ofNode = context.getContext('node');
		this.plans = RowMemory.plansOfNodes.get(ofNode) ?? new Map<string, TaskPlan>();
		RowMemory.plansOfNodes.set(ofNode, this.plans);
		const stored = (ofNode[ROWS] ?? { executionId, rows: {} }) as unknown as Stored;
		this.isNextTry = retryOnFail && stored.executionId === executionId;
		stored.executionId = executionId;
		this.rows = stored.rows;
		if (this.isKept) ofNode[ROWS] = stored as unknown as IDataObject;
	}

	/** The task that an earlier try has submitted. */
	plan(index: number): TaskPlan | undefined {
		return this.plans.get(this.nameOf(index));
	}

	keepPlan(plan: TaskPlan): void {
		if (this.hasNextTry) this.plans.set(this.nameOf(plan.index), plan);
	}

	/** The row with this request. What is set in it is found by the next try and by a Retry. */
	find(index: number, request: unknown): PaidRow {
		const hash = createHash('sha256').update(canonicalJson(request)).digest('base64');
		const known = this.rows[this.nameOf(index)];
		if (known && (this.isNextTry || known.request === hash)) {
			if (known.outputs && !this.isNextTry) this.reusedCount += 1;
			return known;
		}
		const row = { request: hash };
		if (this.isKept) this.rows[this.nameOf(index)] = row;
		return row;
	}

	/** The row is done, or must begin anew. */
	forget(index: number): void {
		this.plans.delete(this.nameOf(index));
		delete this.rows[this.nameOf(index)];
	}

	private readonly nameOf = (index: number) => `${this.runIndex} ${index}`;
}
