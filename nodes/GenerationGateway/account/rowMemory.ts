import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Asset } from '../../gateway/assets/schema';
import type { Vector } from '../../gateway/embeddings/embedder';
import { canonicalJson } from '../../gateway/tasks/idempotencyKeys';
import type { MadeTasks } from '../../n8n/items/failure';
import type { OutputItem } from '../../n8n/items/task';
import type { TaskPlan } from '../tasks/taskPlan';
import { mayExist } from './charge';

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

/** Kept by n8n with the execution, by run and row. A Retry gets what the failed execution has left. */
const ROWS = 'generationGatewayRows';
/** By the hash of a request: the rows that have had it in some try, in their order. Kept like the rows. */
const NUMBERS = 'generationGatewayNumbers';
/** By the hash of a request: the keys of calls of a tool that have failed. Kept like the rows. */
const FAILED_CALLS = 'generationGatewayFailedCalls';

/** Up to 30 KB each. n8n stores an execution as one text, which must not become too long. */
const MOST_VECTORS = 4_000;

/** The most that Retry On Fail can have. */
export const MOST_TRIES = 5;
/** As n8n reads Max. Tries. */
const clampTries = (most: number | undefined): number =>
	Math.min(MOST_TRIES, Math.max(2, most || 3));

/** What this process knows of a node in an execution, by run and row. */
class Tries {
	/** How often each run has begun. */
	readonly counts = new Map<number, number>();
	readonly plans = new Map<string, TaskPlan>();
	/** Rows that were found in this execution. */
	readonly found = new Set<string>();
	/** Those that the failed execution has paid for. */
	readonly reused = new Set<string>();
}

/**
 * The rows of one run that are not done. Retry On Fail and Retry in the list of executions run the whole node
 * again, and must not pay again for what they find here.
 */
export class RowMemory {
	private static readonly ofNodes = new WeakMap<IDataObject, Tries>();

	private readonly ofNode: IDataObject;
	private readonly tries: Tries;
	private readonly rows: Record<string, PaidRow>;
	/** The rows of this try, until it begins to send. */
	private readonly pending: Record<string, PaidRow> = {};
	/** By row, of calls of a tool: the hashes of requests with their keys. */
	private readonly calls = new Map<number, [request: string, key: string][]>();
	/** n8n keeps the execution. */
	private readonly isKept: boolean;
	/** The node has Retry On Fail. */
	private readonly hasRetryOnFail: boolean;
	/** If it fails, n8n runs it once more. */
	readonly hasNextTry: boolean;
	private vectors = 0;

	constructor(
		context: IExecuteFunctions,
		private readonly runIndex: number,
	) {
		const { type, retryOnFail = false, maxTries } = context.getNode();
		this.isKept = Boolean(context.getExecutionId());
		this.hasRetryOnFail = this.isKept && retryOnFail && !type.endsWith('ModelTool');
		const ofNode = context.getContext('node');
		this.ofNode = ofNode;
		this.tries = RowMemory.ofNodes.get(ofNode) ?? new Tries();
		RowMemory.ofNodes.set(ofNode, this.tries);
		const tried = (this.tries.counts.get(runIndex) ?? 0) + 1;
		this.tries.counts.set(runIndex, tried);
		this.hasNextTry = this.hasRetryOnFail && tried < clampTries(maxTries);
		this.rows = (ofNode[ROWS] ?? {}) as unknown as Record<string, PaidRow>;
		if (this.isKept) ofNode[ROWS] = this.rows as unknown as IDataObject;
		// Another pass of a loop cannot be tried again. Calls of a tool are runs side by side.
		if (type.endsWith('Tool')) return;
		for (const name of Object.keys(this.rows)) if (!this.isOfRun(name)) delete this.rows[name];
	}

	/** The task that an earlier try has submitted. */
	plan(index: number): TaskPlan | undefined {
		return this.tries.plans.get(this.nameOf(index));
	}

	keepPlan(plan: TaskPlan): void {
		if (this.hasRetryOnFail) this.tries.plans.set(this.nameOf(plan.index), plan);
	}

	/**
	 * Gives the row a number among the equal requests of the node in this execution, which is the same in each try
	 * and in a Retry, whatever the other rows are then. `request`: a hash. Fallback models, which may never be asked,
	 * have their own numbers.
	 */
	assignNumber(index: number, request: string, isFallback = false): string {
		const rows = this.listsOf(NUMBERS);
		const row = this.nameOf(index);
		const names = [request, `fallback ${request}`] as const;
		// It may have become the chosen model.
		const known = names.find((name) => rows[name]?.includes(row));
		const name = known ?? names[isFallback ? 1 : 0];
		const numbered = (rows[name] ??= []);
		if (!known) numbered.push(row);
		return `${name === request ? '' : 'fallback '}${numbered.indexOf(row)}`;
	}

	/**
	 * The key of a call of a tool that its caller runs itself: n8n counts each try of Retry On Fail as a run of its own.
	 * An equal call that has failed hands on its key, since it may have made a task.
	 */
	keyOfCall(index: number, request: string, create: () => string): string {
		const key = this.listsOf(FAILED_CALLS)[request]?.shift() ?? create();
		this.calls.set(index, [...(this.calls.get(index) ?? []), [request, key]]);
		return key;
	}

	/** The row has failed, or has sent nothing. */
	handOnKeys(index: number): void {
		for (const [request, key] of this.calls.get(index) ?? [])
			(this.listsOf(FAILED_CALLS)[request] ??= []).push(key);
		this.calls.delete(index);
	}

	/** What the tries of this run have made so far. */
	get made(): MadeTasks {
		const made = [...this.tries.plans]
			.filter(([name]) => this.isOfRun(name))
			.map(([, { index, reservation }]) => ({ index, charge: reservation.charge }))
			.filter(({ charge }) => mayExist(charge) && charge.maker !== 'other');
		return {
			taskIds: made.flatMap(({ charge }) => charge.taskId ?? []),
			unclear: made.filter(({ charge }) => !charge.taskId).map(({ index }) => index),
		};
	}

	/**
	 * The row with this request. What is set in it is found by the next try, also with other values of its
	 * expressions, and by a Retry.
	 */
	find(index: number, request: unknown): PaidRow {
		const hash = createHash('sha256').update(canonicalJson(request)).digest('base64');
		const name = this.nameOf(index);
		const { found, reused } = this.tries;
		const isNextTry = this.hasRetryOnFail && found.has(name);
		const known = this.rows[name];
		const isPaid = known && (known.outputs ?? known.asset ?? known.vectors) !== undefined;
		const row = isPaid && (isNextTry || known.request === hash) ? known : { request: hash };
		// Vectors are found by their texts, whichever try has paid for them.
		if (row.vectors && !row.outputs) row.request = hash;
		if (row.outputs && !isNextTry) reused.add(name);
		if (this.isKept) this.pending[name] = row;
		return row;
	}

	/** The run begins to send. Until then the rows of the failed execution stay as they are. */
	begin(): void {
		Object.assign(this.rows, this.pending);
		for (const name of Object.keys(this.pending)) this.tries.found.add(name);
	}

	/** How many rows the failed execution has paid for. */
	get reusedCount(): number {
		return [...this.tries.reused].filter((name) => this.isOfRun(name)).length;
	}

	/** Whether so many vectors more can be kept. */
	hasRoomFor(vectors: number): boolean {
		const hasRoom = this.vectors + vectors <= MOST_VECTORS;
		if (hasRoom) this.vectors += vectors;
		return hasRoom;
	}

	/** The row is done, or must begin anew. */
	forget(index: number): void {
		this.tries.plans.delete(this.nameOf(index));
		delete this.rows[this.nameOf(index)];
	}

	private listsOf(name: string): Record<string, string[]> {
		return (this.ofNode[name] ??= {}) as unknown as Record<string, string[]>;
	}

	private nameOf(index: number): string {
		return `${this.runIndex} ${index}`;
	}

	private isOfRun(name: string): boolean {
		return name.startsWith(`${this.runIndex} `);
	}
}
