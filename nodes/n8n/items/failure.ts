import {
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';
import { escapeHtml } from '../../catalog/labels';
import { GatewayError } from '../../gateway/errors';

/** What an item ended with instead of outputs. */
export interface Failure {
	error: unknown;
	index: number;
	/** The fields of the input item, where the failed one stands beside them. */
	input?: IDataObject;
}

/** Errors of n8n and of this package's own code, as the one typed error. */
export function toGatewayError(error: unknown): GatewayError {
	if (error instanceof GatewayError) return error;
	const { message, description } = error as { message?: string; description?: string | null };
	return new GatewayError('unexpected', message ?? String(error), {
		hint: description ?? undefined,
		cause: error,
	});
}

/** What a workflow can branch on: the code, and what is known of task and money. */
export const detailsOf = ({ code, details }: GatewayError): IDataObject =>
	Object.fromEntries(
		Object.entries({ code, ...details }).filter(([, value]) => value !== undefined),
	) as IDataObject;

/** How n8n sends the failed items of a node on. */
export type ErrorRoute =
	/** With the others, or nowhere. */
	| 'regular'
	/** To the error output, which n8n chooses when the node ends. */
	| 'output'
	/** To the error output, but the item is stored before. */
	| 'stored output';

/**
 * The item that goes on in place of a failed one. n8n sends an item to the error output by an `error`
 * beside `json`, or when `json` has no other names than these three. It puts the input's fields into such
 * an item, so the task's ID and status stand at the top as well: the input may hold older ones. The
 * `error` is not enumerable, since n8n would drop `json` where it stays.
 */
export function failureToItem(
	{ error: given, index, input }: Failure,
	route: ErrorRoute = 'regular',
): INodeExecutionData {
	const error = toGatewayError(given);
	const { task_id, status = null } = error.details;
	// A stored item may have no other names: by this n8n knows that the input's fields are still to be put in.
	const isNamed = route !== 'stored output';
	const item: INodeExecutionData = {
		json: {
			...(isNamed && { ...input, item_index: index }),
			error: error.message.replaceAll('\n', '; '),
			message: error.hint,
			details: detailsOf(error),
			...(isNamed && task_id !== undefined && { task_id, status: status as string | null }),
		},
		pairedItem: { item: index },
	};
	if (route === 'output') Object.defineProperty(item, 'error', { value: error });
	return item;
}

function nodeError(
	node: INode,
	failure: { error: unknown; index?: number },
	further: readonly string[],
): NodeOperationError {
	const error = toGatewayError(failure.error);
	const [message = '', ...more] = error.message.split('\n');
	const description = [...more, error.hint, ...further]
		.filter(Boolean)
		.map(escapeHtml)
		.join('<br>');
	const found = new NodeOperationError(node, message, { itemIndex: failure.index, description });
	// n8n replaces a message that holds one of its code words (ECONNREFUSED, but also "preexisting") by its own.
	found.message = message;
	Object.assign(found.context, { details: detailsOf(error) });
	return found;
}

/** The error of a node that supplies a model to others: one request has failed. */
export function createNodeError(
	node: INode,
	error: unknown,
	itemIndex?: number,
): NodeOperationError {
	return nodeError(node, { error, index: itemIndex }, []);
}

const LISTED = 10;

/**
 * The error that ends the run: of the first item, with what is known about the others. Tasks that
 * other items have paid for are named by `taskIds`, so that stopping here loses none of them.
 */
export function createRunError(
	node: INode,
	failures: readonly Failure[],
	itemCount: number,
	taskIds: readonly string[] = [],
): NodeOperationError {
	const [first, ...further] = failures as [Failure, ...Failure[]];
	const failedItems = new Set(failures.map(({ index }) => index)).size;
	const isList = itemCount > 1;
	const behind = failures.map(({ error }) => toGatewayError(error).details.task_id);
	const failedIds = [...new Set(behind.filter((id) => id !== undefined))];
	const describe = ({ error, index }: Failure) =>
		`${isList ? `Item ${index}: ` : ''}${toGatewayError(error).message.split('\n')[0]}`;
	return nodeError(node, first, [
		...(isList ? [`${failedItems} of ${itemCount} items failed.`] : []),
		...further.slice(0, LISTED - 1).map(describe),
		...(failures.length > LISTED ? [`and ${failures.length - LISTED} more`] : []),
		...(isList && failedIds.length ? [`Tasks of the failed items: ${failedIds.join(', ')}`] : []),
		...(taskIds.length
			? [`Already submitted and possibly billed, get them with Task > Get: ${taskIds.join(', ')}`]
			: []),
	]);
}
