import type { IDataObject, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';
import type { OutputOptions } from '../../n8n/items/task';
import { toResumeUrl } from './resumeLink';

/** What is stored beside the JSON of a suspended item, for the time when it is resumed. */
export interface StoredSuspension {
	task_id: string;
	outputOptions: OutputOptions;
	/** The fields of the input item, where the result stands beside them. */
	input?: IDataObject;
	/** It is cancelled when the user stops the execution. */
	cancelsOnStop?: boolean;
	/** The same for all items; set when the execution is suspended. */
	period?: Period;
}

/** When a suspension ends, in Unix milliseconds, and how the end of its tasks is found. */
export interface Period {
	/** The node polls a last time, and the execution goes on whatever the state of its tasks. */
	closesAt: number;
	/** The node resumes the execution no more. */
	until: number;
	/** Every task calls this execution back. */
	isCalledBack: boolean;
}

export type SuspendedItem = INodeExecutionData & { suspended?: StoredSuspension & IDataObject };

/** The last poll comes so long before the end, or after this share of the time where that is less. */
const CLOSING_MS = 3 * 60_000;
const CLOSING_SHARE = 0.1;

/**
 * So long after that n8n goes on by itself, with the items as they were stored. n8n sets its timer 70 s
 * before and keeps it when the execution is resumed: it would end whatever the execution waits for then,
 * and be it a person. So no resume of ours may come that late.
 */
export const HOST_TIMER_MS = 80_000;

/** The period of a suspension that begins now. */
export const createPeriod = (now: number, until: number, isCalledBack = true): Period => ({
	closesAt: until - Math.min(CLOSING_MS, (until - now) * CLOSING_SHARE),
	until,
	isCalledBack,
});

export interface StoredExecution {
	/** The items the node stored when it was suspended, in order. */
	items: SuspendedItem[];
	/** The tasks they wait for. */
	taskIds: string[];
	period?: Period;
	/** The link on which the node is called back. */
	url: string;
	/** Those of the tasks that are cancelled when the user stops the execution. */
	cancelledOnStop: string[];
}

/** Reads what the execution was suspended with. n8n takes long to evaluate it. */
export function readStoredExecution(node: IWebhookFunctions): StoredExecution {
	const list =
		'$input.all().map(({ json, pairedItem, binary, suspended }) => ({ json, pairedItem, binary, suspended }))';
	const stored = node.evaluateExpression(
		`{{ JSON.stringify({ items: ${list}, executionUrl: $execution.resumeUrl }) }}`,
	);
	const { items, executionUrl } = JSON.parse(String(stored)) as {
		items: SuspendedItem[];
		executionUrl: string;
	};
	return {
		items,
		taskIds: items.flatMap(({ suspended }) => suspended?.task_id ?? []),
		period: items.find(({ suspended }) => suspended)?.suspended?.period,
		url: toResumeUrl(executionUrl),
		cancelledOnStop: findCancelledOnStop(items),
	};
}

/** The tasks that are cancelled when the user stops the execution. */
export const findCancelledOnStop = (items: readonly SuspendedItem[]): string[] =>
	items.flatMap(({ suspended }) => (suspended?.cancelsOnStop ? [suspended.task_id] : []));
