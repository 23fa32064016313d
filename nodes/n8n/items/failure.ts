import {
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';
import { escapeHtml, joinWords } from '../../catalog/labels';
import { quotaToUsd } from '../../catalog/pricing';
import { GatewayError } from '../../gateway/errors';
import { keepInput, listEarlierState } from './includeInput';

export interface Failure {
	error: unknown;
	index: number;
	/** With Include Input Fields. */
	input?: IDataObject;
	/** The input item, for the route `output`. */
	former?: INodeExecutionData;
	/** A new task was asked for, so state and cost of an earlier one in the input must not be taken for its own. */
	makesTask?: boolean;
}

/** Errors of n8n and of this package as a GatewayError. */
export function toGatewayError(error: unknown): GatewayError {
	if (error instanceof GatewayError) return error;
	const { message, description } = error as Partial<Error> & { description?: string | null };
	const hint = description ?? undefined;
	return new GatewayError('unexpected', message ?? String(error), { hint, cause: error });
}

/** What a workflow can branch on. */
const detailsOf = ({ code, details }: GatewayError): IDataObject =>
	Object.fromEntries(
		Object.entries({ code, ...details }).filter(([, value]) => value !== undefined),
	) as IDataObject;

/** The response was lost. */
const isUnclear = ({ details }: GatewayError): boolean => details.may_have_executed === true;
const UNCLEAR = 'Not known whether it was carried out and billed';

/** Where n8n sends a failed item. */
export type ErrorRoute =
	/** With the others, or nowhere. */
	| 'regular'
	/** To the error output, when the node ends. */
	| 'output'
	/** To the error output, from a stored item. */
	| 'stored output';

/**
 * A failed item. n8n sends it to the error output by an `error` beside `json`, or when `json` has only these
 * three names. It then adds the input's fields, but not its files. Those fields may hold an older task, so
 * what is known of this one is at the top too. `error` is not enumerable, since n8n would drop `json`.
 */
export function failureToItem(
	{ error: given, index, input, former, makesTask = false }: Failure,
	route: ErrorRoute = 'regular',
): INodeExecutionData {
	const error = toGatewayError(given);
	const { task_id, status = null, billed = null } = error.details;
	const kept = input && keepInput(input, {});
	const earlier = makesTask ? listEarlierState({ ...former?.json, ...input }) : [];
	const added = { ...former?.json, ...kept };
	const ofTry = { status, cost: billed, cost_usd: billed && quotaToUsd(billed) };
	const replaced = Object.entries(ofTry).filter(
		([name]) => earlier.includes(name) && name in added,
	);
	const reason = {
		error: error.message.replaceAll('\n', '; '),
		message: `${error.hint}${isUnclear(error) ? ` ${UNCLEAR}.` : ''}`,
		details: detailsOf(error),
	};
	const named = {
		...kept,
		item_index: index,
		...reason,
		...(task_id !== undefined && { task_id, status }),
		...Object.fromEntries(replaced),
	};
	const item: INodeExecutionData = {
		// Other names than those of the reason would keep n8n from adding the input's fields.
		json: route === 'stored output' ? reason : named,
		...(former?.binary && { binary: former.binary }),
		pairedItem: { item: index },
	};
	if (route === 'output') Object.defineProperty(item, 'error', { value: error });
	return item;
}

/** `further`: sentences behind the hint. By default, that the response was lost. */
export function createNodeError(
	node: INode,
	given: unknown,
	itemIndex?: number,
	further?: readonly string[],
): NodeOperationError {
	const error = toGatewayError(given);
	const behind = further ?? (isUnclear(error) ? [`${UNCLEAR}.`] : []);
	const [message = '', ...lines] = error.message.split('\n');
	const description = [...lines, error.hint, ...behind]
		.filter(Boolean)
		.map(escapeHtml)
		.join('<br>');
	const found = new NodeOperationError(node, message, { itemIndex, description });
	// n8n replaces messages with words like ECONNREFUSED, but also "preexisting".
	found.message = message;
	Object.assign(found.context, { details: detailsOf(error) });
	return found;
}

/** n8n sends only the description to the client of a workflow that streams. */
export function toStreamedError(error: NodeOperationError): NodeOperationError {
	const { message, description } = error;
	const sentence = escapeHtml(/[.?!]$/.test(message) ? message : `${message}.`);
	error.description = `${sentence} ${description ?? ''}`.replaceAll('<br>', ' ');
	return error;
}

const LISTED = 10;

/** `Item 3`, `Items 0, 1 and 2`, `All 5 items`. Empty for the only item. */
export function nameItems(indexes: readonly number[], itemCount: number): string {
	if (indexes.length === itemCount) return itemCount > 1 ? `All ${itemCount} items: ` : '';
	const unlisted = indexes.length - LISTED;
	const names = [...indexes.slice(0, LISTED), ...(unlisted > 0 ? [`${unlisted} more`] : [])];
	return `${indexes.length > 1 ? 'Items' : 'Item'} ${joinWords(names, 'and')}: `;
}

/** A line for each reason, with the items that have it. */
export function describeFailures(failures: readonly Failure[], itemCount: number): string[] {
	const byReason = new Map<string, Set<number>>();
	for (const { error, index } of failures) {
		const reason = toGatewayError(error).message.replaceAll('\n', '; ');
		byReason.set(reason, (byReason.get(reason) ?? new Set()).add(index));
	}
	return [...byReason].map(([reason, indexes]) => `${nameItems([...indexes], itemCount)}${reason}`);
}

/** What is paid, or may be, so none may be lost. */
export interface MadeTasks {
	taskIds: readonly string[];
	/** Items of which a lost reply may have made one in an earlier try. */
	unclear: readonly number[];
}

/** The error that ends the run: the first item's, with a summary of the others. */
export function createRunError(
	node: INode,
	failures: readonly Failure[],
	itemCount: number,
	made: MadeTasks = { taskIds: [], unclear: [] },
): NodeOperationError {
	const [first] = failures as [Failure];
	const failedItems = new Set(failures.map(({ index }) => index)).size;
	const isList = itemCount > 1;
	const behind = failures.map(({ error }) => toGatewayError(error).details.task_id);
	const failedIds = [...new Set(behind.filter((id) => id !== undefined))];
	const taskIds = [...new Set(made.taskIds)].filter((id) => !failedIds.includes(id));
	const lost = failures.filter(({ error }) => isUnclear(toGatewayError(error)));
	const unclear = new Set([...lost.map(({ index }) => index), ...made.unclear]);
	const reasons = describeFailures(failures, itemCount);
	// The message says these.
	const known = [`Item ${first.index}:`, 'All '];
	if (!isList || known.some((words) => reasons[0]!.startsWith(words))) reasons.shift();
	const further = [
		...(isList ? [`${failedItems} of ${itemCount} items failed.`] : []),
		...reasons.slice(0, LISTED),
		...(reasons.length > LISTED ? [`and ${reasons.length - LISTED} more`] : []),
		...(isList && failedIds.length ? [`Tasks of the failed items: ${failedIds.join(', ')}`] : []),
		...(taskIds.length
			? [`Already submitted and possibly billed, get them with Task > Get: ${taskIds.join(', ')}`]
			: []),
		...(unclear.size
			? [`${UNCLEAR}${isList ? `: item ${[...unclear].sort((a, b) => a - b).join(', ')}` : '.'}`]
			: []),
	];
	const others = [...failedIds, ...taskIds].filter((id) => id !== behind[0]);
	const other_task_ids = others.length ? others : undefined;
	const error = toGatewayError(first.error).addDetails({ other_task_ids });
	return createNodeError(node, error, first.index, further);
}
