import type {
	IDataObject,
	INodeExecutionData,
	IPairedItemData,
	IWebhookFunctions,
} from 'n8n-workflow';
import type { Task } from '../../gateway/tasks/schema';
import { taskToJson, type OutputOptions } from '../../n8n/items/task';
import { wallTime } from '../../n8n/systemClock';
import { toResumeUrl } from './resumeLink';

/** A task that the execution is suspended for, and how it becomes an item. */
export interface SuspendedTask {
	task: Task;
	outputOptions: OutputOptions;
	/** Longest suspension. */
	hours: number;
	cancelsOnStop: boolean;
	/** Further fields of its item. */
	fields?: IDataObject;
}

/** Stored with a suspended item. */
interface StoredSuspension extends Pick<SuspendedTask, 'outputOptions' | 'fields'> {
	task_id: string;
	/** With Include Input Fields. */
	input?: IDataObject;
	/** Cancelled when the user stops the execution. */
	cancelsOnStop?: boolean;
	/** The same for all items. Set when the execution is suspended. */
	period?: Period;
}

/** When a suspension ends, in Unix milliseconds. */
export interface Period {
	/** The last poll. Then the execution goes on, whatever the state of its tasks. */
	closesAt: number;
	/** No resume of ours comes later. */
	until: number;
	/** Every task calls back. */
	isCalledBack: boolean;
}

export type SuspendedItem = INodeExecutionData & { suspended?: StoredSuspension & IDataObject };

type StoredPair = IPairedItemData & Pick<SuspendedItem, 'suspended'>;

/** n8n's Code node refuses items with keys of our own, and gets the stored ones when the time runs out. */
export function toStoredItem(given: SuspendedItem, period: Period): INodeExecutionData {
	const { suspended, ...item } = given;
	const pair = { ...(item.pairedItem as StoredPair) };
	if (suspended) pair.suspended = { ...suspended, period: { ...period } };
	return { ...item, pairedItem: pair };
}

function fromStoredItem(item: INodeExecutionData): SuspendedItem {
	const { suspended, ...pairedItem } = item.pairedItem as StoredPair;
	return { ...item, pairedItem, suspended };
}

/** A running task. Its item goes on like this when the time runs out, so it says when the state was read. */
export const runningToJson = (task: Task, { simplify }: OutputOptions): IDataObject =>
	simplify
		? { ...taskToJson(task), checked_at: new Date(wallTime()).toISOString() }
		: (task.raw as IDataObject);

export function toSuspendedItem(given: SuspendedTask): SuspendedItem {
	const { task, outputOptions, cancelsOnStop, fields } = given;
	return {
		json: { ...runningToJson(task, outputOptions), ...fields },
		suspended: { task_id: task.taskId, outputOptions: { ...outputOptions }, cancelsOnStop, fields },
	};
}

/** The last poll is so long before the end, or a share of the time where that is less. */
const CLOSING_MS = 3 * 60_000;
const CLOSING_SHARE = 0.1;

/**
 * So long after the end n8n goes on by itself, with the stored items. It sets its timer 70 s earlier and keeps
 * it after a resume, so it would end a later wait, e.g. for a person. So we never resume after the end.
 */
export const HOST_TIMER_MS = 80_000;

export const createPeriod = (now: number, until: number, isCalledBack = true): Period => ({
	closesAt: until - Math.min(CLOSING_MS, (until - now) * CLOSING_SHARE),
	until,
	isCalledBack,
});

export type StoredExecution = ReturnType<typeof readStoredExecution>;

/** Reads what the execution was suspended with. n8n takes long for this. */
export function readStoredExecution(node: IWebhookFunctions) {
	const list = '$input.all().map(({ json, pairedItem, binary }) => ({ json, pairedItem, binary }))';
	const stored = node.evaluateExpression(
		`{{ JSON.stringify({ items: ${list}, executionUrl: $execution.resumeUrl }) }}`,
	);
	const { items: storedItems, executionUrl } = JSON.parse(String(stored)) as {
		items: INodeExecutionData[];
		executionUrl: string;
	};
	const items = storedItems.map(fromStoredItem);
	return {
		/** In their order. */
		items,
		...listTasks(items),
		period: items.find(({ suspended }) => suspended)?.suspended?.period,
		/** The resume link. */
		url: toResumeUrl(executionUrl),
	};
}

/** The tasks that items wait for. `cancelledOnStop`: those to cancel when the user stops the execution. */
export function listTasks(items: readonly SuspendedItem[]) {
	const suspended = items.flatMap((item) => item.suspended ?? []);
	const cancelled = suspended.filter(({ cancelsOnStop }) => cancelsOnStop);
	return {
		taskIds: suspended.map(({ task_id }) => task_id),
		cancelledOnStop: cancelled.map(({ task_id }) => task_id),
	};
}
