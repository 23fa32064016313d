import type { IDataObject } from 'n8n-workflow';
import { isObject, toText } from '../../catalog/json';
import { ERROR_CODES } from '../../gateway/errorCodes';
import { parseJson } from '../../gateway/json';
import { isFinal, normalizeStatus } from '../../gateway/tasks/schema';

const has = (item: IDataObject, names: readonly string[]): boolean =>
	names.every((name) => name in item);
const isEnded = ({ status }: IDataObject): boolean => isFinal(normalizeStatus(toText(status)));

const OF_FALLBACK = ['fallback_from', 'fallback_reason'];
const OF_TASK = ['expires_at', 'file_urls', 'reused', 'urls', ...OF_FALLBACK];

/** A table may keep no more of it than its ID, its final status and one of these fields. */
const isTask = (item: IDataObject): boolean =>
	has(item, ['task_id', 'status']) &&
	('progress' in item || (isEnded(item) && ['cost_usd', ...OF_TASK].some((name) => name in item)));
export const isAnswer = (item: IDataObject): boolean =>
	has(item, ['text', 'finish_reason', 'usage']);
const isCheck = (item: IDataObject): boolean => has(item, ['dry_run', 'estimated_cost', 'advice']);

/** Fields that not every task has. */
const ofTask = (item: IDataObject): string[] => [
	...['checked_at', 'pre_consumed_cost', ...OF_TASK],
	...(normalizeStatus(toText(item.status)) === 'failed' ? ['reason'] : []),
];

/** Fields that not every answer has. `data`, `images` and `annotations` may be the user's. */
const ofAnswer = (input: IDataObject): string[] => [
	...['tool_calls', 'finish_reasons', ...OF_FALLBACK],
	...('finish_reasons' in input ? ['texts'] : []),
	...(has(input, ['cost', 'cost_usd']) && !isTask(input) ? ['cost', 'cost_usd'] : []),
];

/** Of a failure of this package. Those of others stay, except `error`. */
function ofFailure({ details: kept, error, task_id }: IDataObject): string[] {
	// A table keeps it as text.
	const details = parseJson(kept);
	if (!isObject(details) || !('retry' in details) || typeof error !== 'string') return [];
	const { code, task_id: failed } = details;
	if (typeof code !== 'string' || !Object.hasOwn(ERROR_CODES, code)) return [];
	const ids = failed !== undefined && failed === task_id ? ['task_id', 'status'] : [];
	return ['message', 'details', 'item_index', ...ids];
}

/** The fields in which an earlier try has left its state and cost, or its failure. Those of the user are not among them. */
export function listEarlierState(item: IDataObject): string[] {
	const isOfTask = isTask(item) || (has(item, ['cost', 'cost_usd']) && isEnded(item));
	return isOfTask ? ['status', 'cost', 'cost_usd'] : ofFailure(item);
}

/**
 * What an item keeps of its input: not what an earlier failure, or an earlier result of the same kind, has left
 * there. It would be taken for a part of this one. What may be the user's stays.
 */
export function keepInput(input: IDataObject, result: IDataObject): IDataObject {
	const left = new Set([
		// n8n takes it for a failure of this node.
		'error',
		...ofFailure(input),
		...(isTask(input) && isTask(result) ? ofTask(input) : []),
		...(isAnswer(input) && isAnswer(result) ? ofAnswer(input) : []),
		...(isCheck(input) && isTask(result) ? ['dry_run'] : []),
	]);
	// What the result has as well keeps its place.
	const kept = Object.entries(input).filter(([name]) => !left.has(name) || name in result);
	return Object.fromEntries(kept);
}
