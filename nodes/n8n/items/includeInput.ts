import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../../catalog/json';
import { ERROR_CODES } from '../../gateway/errorCodes';

/** Fields by which a kind of item is known. */
const TASK = ['task_id', 'status', 'progress'];
const TEXT = ['text', 'finish_reason', 'usage'];
const CHECK = ['dry_run', 'estimated_cost', 'advice'];

/** Fields that not every task has. The last ones are the gateway's, with Simplify off. */
export const OF_TASK =
	'checked_at expires_at fallback_from fallback_reason file_urls pre_consumed_cost reason reused urls cost result error fail_reason billing_status completed_at finished_at'.split(
		' ',
	);
/** Fields that not every answer has. */
export const OF_TEXT =
	'annotations cost cost_usd data fallback_from fallback_reason finish_reasons images texts tool_calls'.split(
		' ',
	);

/** What a result does not keep of an earlier one. */
const LEFT_OUT: readonly { input: string[]; result: string[]; names: string[] }[] = [
	{ input: TASK, result: TASK, names: OF_TASK },
	{ input: TEXT, result: TEXT, names: OF_TEXT },
	{ input: CHECK, result: CHECK, names: ['price', 'fallbacks'] },
	{ input: CHECK, result: TASK, names: ['dry_run'] },
	{ input: ['model', 'embeddings'], result: ['model', 'embedding'], names: ['embeddings'] },
	{ input: ['model', 'embedding'], result: ['model', 'embeddings'], names: ['embedding'] },
];

/** Of an earlier failure of this package. Those of others stay. */
function failureFields({ details, error, task_id }: IDataObject): string[] {
	if (!isObject(details) || !('retry' in details) || typeof error !== 'string') return [];
	const { code, task_id: failed } = details;
	if (typeof code !== 'string' || !Object.hasOwn(ERROR_CODES, code)) return [];
	const ofTask = failed !== undefined && failed === task_id ? ['task_id', 'status'] : [];
	return ['error', 'message', 'details', 'item_index', ...ofTask];
}

/**
 * What an item keeps of its input: not what an earlier failure, or an earlier result of the same kind, has left
 * there. It would be taken for a part of this one.
 */
export function keepInput(input: IDataObject, result: IDataObject): IDataObject {
	const has = (item: IDataObject, names: readonly string[]) => names.every((name) => name in item);
	const ofResult = LEFT_OUT.filter(
		(kind) => has(input, kind.input) && has(result, kind.result),
	).flatMap(({ names }) => names);
	const left = new Set([...failureFields(input), ...ofResult]);
	// What the result has as well keeps its place.
	const kept = Object.entries(input).filter(([name]) => !left.has(name) || name in result);
	return Object.fromEntries(kept);
}
