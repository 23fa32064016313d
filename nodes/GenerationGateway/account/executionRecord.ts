import type { IExecuteFunctions } from 'n8n-workflow';
import { quotaToUsd } from '../../catalog/quota';
import type { Task } from '../../gateway/tasks/schema';

const TASK_IDS = 'gateway_task_ids';
const MODELS = 'gateway_models';
const COST_USD = 'gateway_cost_usd';
/** Longer values are cut by n8n, some versions of it with an error in the log. */
const LONGEST_VALUE = 255;

interface CustomData {
	get(key: string): string | undefined;
	set(key: string, value: string): void;
}

/** The list with one more, unless it is there or there is no room. */
function append(list: string, value: string): string {
	if (list.split(', ').includes(value)) return list;
	const longer = list ? `${list}, ${value}` : value;
	return longer.length > LONGEST_VALUE ? list : longer;
}

/** Executions whose tasks this process remembers; of an older one, what is saved counts. */
const MOST_REMEMBERED = 200;

/**
 * What an execution submits, as its custom data: n8n lists and searches executions by it, so a task is
 * found when the tab was closed. The nodes of an execution add to each other, and a task that Retry On
 * Fail meets again counts once.
 */
export class ExecutionRecord {
	private static readonly known = new Map<string, ExecutionRecord>();

	/** The record of the execution that runs. */
	static of(context: IExecuteFunctions): ExecutionRecord {
		const { known } = ExecutionRecord;
		const id = context.getExecutionId() ?? '';
		const record = known.get(id) ?? new ExecutionRecord();
		// n8n gives access to it by what expressions see, anew for each part of an execution.
		const { $execution } = context.getWorkflowDataProxy(0);
		record.customData = ($execution as { customData?: CustomData } | undefined)?.customData;
		if (id) known.set(id, record);
		if (known.size > MOST_REMEMBERED) known.delete(known.keys().next().value!);
		return record;
	}

	private readonly quota = new Map<string, number>();
	private customData: CustomData | undefined;
	/** What the execution had spent before this process knew of it. */
	private usdBefore: number | undefined;

	/** Notes a task that was made for this execution, as soon as its ID is known. What it holds counts until it has ended. */
	addTask({ taskId, model = '', cost, held }: Task): void {
		this.usdBefore ??= Number(this.customData?.get(COST_USD) ?? 0);
		this.quota.set(taskId, cost ?? held ?? 0);
		this.append(TASK_IDS, taskId);
		if (model) this.append(MODELS, model);
	}

	/** Whether this execution has made the task, as far as this process knows. */
	hasTask(taskId: string): boolean {
		return this.quota.has(taskId);
	}

	/** Quota that a task of this execution has cost so far. */
	costOf(taskId: string): number {
		return this.quota.get(taskId) ?? 0;
	}

	/** Notes what a task of this execution has cost in the end; one that failed or was cancelled is refunded. */
	settle({ taskId, status, cost = 0 }: Task): void {
		if (this.quota.has(taskId)) this.quota.set(taskId, status === 'completed' ? cost : 0);
	}

	/** Brings the cost of the execution up to date. */
	saveCost(): void {
		if (this.usdBefore === undefined) return;
		const quota = [...this.quota.values()].reduce((sum, cost) => sum + cost, 0);
		const usd = Number((this.usdBefore + quotaToUsd(quota)).toFixed(6));
		this.customData?.set(COST_USD, String(usd));
	}

	private append(key: string, value: string): void {
		const list = this.customData?.get(key) ?? '';
		const longer = append(list, value);
		if (longer !== list) this.customData?.set(key, longer);
	}
}
