import type { IExecuteFunctions } from 'n8n-workflow';
import { quotaToUsd } from '../../catalog/pricing';
import { BoundedMap } from '../../gateway/boundedMap';
import { hasEnded, readCharge, type Task } from '../../gateway/tasks/schema';
import { EXECUTIONS, identify, type CustomData, type ExecutionIdentity } from './executionIdentity';

const TASK_IDS = 'gateway_task_ids';
const MODELS = 'gateway_models';
const COST_USD = 'gateway_cost_usd';
/** What a stopped execution cancels. The outcome comes too late for n8n, and is in its log. */
const CANCELLING = 'gateway_cancelling';
/** n8n cuts longer values. */
const LONGEST_VALUE = 255;
/** Leaves room for the number of values that are left out. */
const LONGEST_LIST = LONGEST_VALUE - 8;
/** For older executions, what n8n has saved counts. */
const MOST_EXECUTIONS = 200;
/** Tasks whose execution is remembered. */
const MOST_TASKS = 20_000;

interface Observer {
	observe(task: Task): unknown;
}

/**
 * Continues a list of custom data: the values that fit, and how many more, e.g. `task_1, task_2 +298`. Each call
 * adds a value and returns the list. `members`: those that are known, also where they had no room.
 */
function createShortList(saved = '', members = new Set<string>()): (value: string) => string {
	const [, savedText = '', savedMore = '0'] = /^(.*?)(?: \+(\d+))?$/.exec(saved) ?? [];
	for (const value of savedText.split(', ')) members.add(value);
	let text = savedText;
	let more = Number(savedMore);
	return (value) => {
		if (!members.has(value)) {
			members.add(value);
			const longer = text ? `${text}, ${value}` : value;
			if (more || longer.length > LONGEST_LIST) more += 1;
			else text = longer;
		}
		return more ? `${text} +${more}` : text;
	};
}

/** What an execution has made, as its custom data. n8n searches executions by it, and hands it on to a Retry. */
export class ExecutionRecord {
	private static readonly known = new BoundedMap<string, ExecutionRecord>(MOST_EXECUTIONS);
	private static readonly makers = new BoundedMap<string, string>(MOST_TASKS);

	/** Gives the record of the execution. To be followed by `leave`. */
	static enter(context: IExecuteFunctions): ExecutionRecord {
		const id = context.getExecutionId();
		// Only expressions can reach the custom data.
		const { $execution } = context.getWorkflowDataProxy(0);
		const { customData, resumeUrl } = ($execution ?? {}) as {
			customData?: CustomData;
			resumeUrl?: string;
		};
		const create = () => new ExecutionRecord(identify(context, customData, resumeUrl), customData);
		const record = id ? ExecutionRecord.known.getOrCreate(id, create) : create();
		record.customData = customData;
		if (!record.runs) record.reload();
		record.runs += 1;
		return record;
	}

	/** Tells the rows of an execution, as far as this process knows it. */
	static observe(executionId: string, task: Task): void {
		ExecutionRecord.known.get(executionId)?.observe(task);
	}

	/** The run of the node has ended. `customData` holds the whole execution, so it is released. */
	leave(): void {
		this.runs -= 1;
		if (!this.runs) this.customData = undefined;
	}

	/** By ID: the row that has submitted a task, and what that holds or has cost. */
	private readonly tasks = new Map<string, { row: Observer; quota: number; isEarlier: boolean }>();
	private readonly ended = new Set<string>();
	private readonly models = new Set<string>();
	private addTaskId = createShortList();
	private addModel = createShortList();
	/** Of other processes. */
	private usdOfOthers = 0;
	private savedUsd = 0;
	private hasBegun = false;
	/** Runs of the node under way. An agent calls tools side by side. */
	private runs = 0;

	private constructor(
		readonly execution: ExecutionIdentity,
		private customData: CustomData | undefined,
	) {
		if (execution.isRetry) this.begin();
	}

	/** Another worker may have run a node of the execution since. */
	private reload(): void {
		this.addTaskId = createShortList(this.customData?.get(TASK_IDS));
		this.addModel = createShortList(this.customData?.get(MODELS), this.models);
		this.usdOfOthers = Number(this.customData?.get(COST_USD) ?? 0) - this.savedUsd;
	}

	/** Something is about to be sent. A Retry must find its keys. */
	begin(): void {
		const { origin, ids, isHandedOn } = this.execution;
		if (this.hasBegun || origin === undefined) return;
		this.hasBegun = true;
		this.customData?.set(EXECUTIONS, ids);
		if (!isHandedOn) return;
		// The former execution has its own record.
		const empty = { [TASK_IDS]: '', [MODELS]: '', [COST_USD]: '0', [CANCELLING]: '' };
		for (const [key, value] of Object.entries(empty))
			if (this.customData?.get(key)) this.customData.set(key, value);
	}

	/**
	 * Whether another execution has made the task of a reply. This process may know its maker. Otherwise it is
	 * older when the former execution has handed it on (`isCarried`), or when it has already ended: a new task
	 * has not (spec section 2.1), unless an earlier attempt made it (`isRepeat`).
	 */
	isOlder(
		task: Task,
		known: { spansExecutions: boolean; isRepeat: boolean; isCarried: boolean },
	): boolean {
		const maker = ExecutionRecord.makers.get(task.taskId);
		if (maker !== undefined) return maker !== this.execution.id;
		if (!known.spansExecutions && !this.execution.isRetry) return false;
		return known.isCarried || (hasEnded(task) && !known.isRepeat);
	}

	/** Records a task of this execution. `isEarlier`: made before its request. Returns whether it is new. */
	add({ taskId, model }: Task, row: Observer, isEarlier = false): boolean {
		if (this.tasks.has(taskId)) return false;
		this.tasks.set(taskId, { row, quota: 0, isEarlier });
		ExecutionRecord.makers.set(taskId, this.execution.id);
		this.customData?.set(TASK_IDS, this.addTaskId(taskId));
		if (model) this.customData?.set(MODELS, this.addModel(model));
		return true;
	}

	/** The user has stopped the execution. n8n saves what is set before its stop listeners have returned. */
	stopped(taskIds: Iterable<string>): void {
		const addTaskId = createShortList();
		for (const taskId of taskIds) this.customData?.set(CANCELLING, addTaskId(taskId));
	}

	isEarlier(taskId: string): boolean {
		return this.tasks.get(taskId)?.isEarlier === true;
	}

	/** Another execution has made the task after all. */
	drop(taskId: string): void {
		this.tasks.delete(taskId);
	}

	/** Whether this execution has made the task, which has not ended as far as it knows. */
	isOpen(taskId: string): boolean {
		return this.tasks.has(taskId) && !this.ended.has(taskId);
	}

	/** Tells the row that has submitted the task, which may be of another node. */
	observe(task: Task): void {
		this.tasks.get(task.taskId)?.row.observe(task);
	}

	/** Records the hold or the cost of a task. Returns whether the state is news. */
	update(task: Task): boolean {
		const { taskId } = task;
		// A row with the same key has already seen the end.
		if (this.ended.has(taskId) && !hasEnded(task)) return false;
		if (hasEnded(task)) this.ended.add(taskId);
		const known = this.tasks.get(taskId);
		if (known) known.quota = readCharge(task) ?? known.quota;
		return true;
	}

	/** In quota. */
	costOf(taskId: string): number {
		return this.tasks.get(taskId)?.quota ?? 0;
	}

	saveCost(): void {
		if (!this.tasks.size) return;
		const total = [...this.tasks.values()].reduce((sum, { quota }) => sum + quota, 0);
		this.savedUsd = quotaToUsd(total);
		const usd = Number((this.usdOfOthers + this.savedUsd).toFixed(6));
		this.customData?.set(COST_USD, String(usd));
	}
}
