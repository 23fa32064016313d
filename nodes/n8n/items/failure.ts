import {
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';
import { escapeHtml } from '../../catalog/labels';
import { GatewayError } from '../../gateway/errors';
import { InputError, type Output } from '../../GenerationGateway/operation';

/** What an item ended with instead of outputs. */
export interface Failure {
	error: unknown;
	index: number;
}

interface FailureDescription {
	message: string;
	/** Further findings, one a line. */
	more: readonly string[];
	advice: string;
	standing: IDataObject;
}

function describeFailure(error: unknown): FailureDescription {
	if (error instanceof InputError) {
		const [message = '', ...more] = error.issues.map((issue) => issue.message);
		const standing = {
			billed: 0,
			retry: false,
			issues: error.issues.map((issue) => ({ ...issue })),
		};
		return { message, more, advice: 'Nothing was sent and nothing was billed.', standing };
	}
	if (error instanceof GatewayError)
		return { message: error.message, more: [], advice: error.hint, standing: clean(error.details) };
	const { message, description } = error as { message?: string; description?: string | null };
	return {
		message: message ?? String(error),
		more: [],
		advice: description ?? '',
		standing: { retry: true },
	};
}

const clean = (standing: object): IDataObject =>
	Object.fromEntries(
		Object.entries(standing).filter(([, value]) => value !== undefined),
	) as IDataObject;

function nodeError(
	node: INode,
	{ error, index }: Failure,
	further: readonly string[] = [],
): NodeOperationError {
	const { message, more, advice, standing } = describeFailure(error);
	const description = paragraphs([...more, advice, ...further]);
	const found = new NodeOperationError(node, message, { itemIndex: index, description });
	// n8n replaces a message that holds one of its code words (ECONNREFUSED, but also "preexisting") by its own.
	found.message = message;
	Object.assign(found.context, { standing });
	return found;
}

const paragraphs = (lines: readonly string[]) => lines.filter(Boolean).map(escapeHtml).join('<br>');

/**
 * The item that goes on in place of a failed one. The three names are the ones by which n8n finds items
 * for an error output; an `error` beside `json` would make it drop the details.
 */
export function failureToItem(failure: Failure, known: IDataObject = {}): INodeExecutionData {
	const { message, more, advice, standing } = describeFailure(failure.error);
	return {
		json: {
			error: [message, ...more].join('; '),
			message: advice,
			details: { ...known, ...standing },
		},
		pairedItem: { item: failure.index },
	};
}

const LISTED = 10;

/**
 * The error that ends the run: of the first item, with what is known about the others. Tasks that other
 * items have paid for are named, so that stopping here loses none of them.
 */
export function createRunError(
	node: INode,
	failures: readonly Failure[],
	size: number,
	done: readonly Output[] = [],
): NodeOperationError {
	const [first, ...further] = failures as [Failure, ...Failure[]];
	const items = new Set(failures.map(({ index }) => index)).size;
	const ids = done.map(({ json }) => json.task_id).filter(Boolean);
	const behind = [
		...new Set(
			failures.map(({ error }) => describeFailure(error).standing.task_id).filter(Boolean),
		),
	];
	return nodeError(node, first, [
		...(size > 1 ? [`${items} of ${size} items did not go through.`] : []),
		...further
			.slice(0, LISTED - 1)
			.map(
				({ error, index }) =>
					`${size > 1 ? `Item ${index}: ` : ''}${describeFailure(error).message}`,
			),
		...(failures.length > LISTED ? [`and ${failures.length - LISTED} more`] : []),
		...(size > 1 && behind.length
			? [`Tasks of the items that did not go through: ${behind.join(', ')}`]
			: []),
		...(ids.length ? [`Done all the same, fetch them with Task > Get: ${ids.join(', ')}`] : []),
	]);
}
