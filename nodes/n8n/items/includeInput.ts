import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../../catalog/json';
import { ERROR_CODES } from '../../gateway/errorCodes';

/** Fields that not every result of a kind has, and fields by which the kind is known. */
export const KINDS = {
	task: {
		known: ['task_id', 'status', 'progress'],
		occasional: [
			'expires_at',
			'fallback_from',
			'fallback_reason',
			'file_urls',
			'pre_consumed_cost',
			'reason',
			'reused',
			'urls',
		],
	},
	text: {
		known: ['text', 'finish_reason', 'usage'],
		occasional: [
			'annotations',
			'cost',
			'cost_usd',
			'data',
			'fallback_from',
			'fallback_reason',
			'finish_reasons',
			'images',
			'texts',
			'tool_calls',
		],
	},
};

/** Of an earlier failure or a dry run of this package. An `error` of others stays. */
function findMarks({ details, task_id, dry_run }: IDataObject): string[] {
	if (dry_run === true) return ['dry_run'];
	const { code, task_id: failed } = (isObject(details) ? details : {}) as IDataObject;
	if (typeof code !== 'string' || !Object.hasOwn(ERROR_CODES, code)) return [];
	const ofTask = failed === task_id ? ['task_id', 'status'] : [];
	return ['error', 'message', 'details', 'item_index', ...ofTask];
}

/**
 * What an item keeps of its input: not what an earlier result of the same kind, or an earlier failure, has left
 * there. It would be taken for a part of this one.
 */
export function keepInput(input: IDataObject, result: IDataObject): IDataObject {
	const isBoth = (name: string) => name in input && name in result;
	const ofResult = Object.values(KINDS)
		.filter(({ known }) => known.every(isBoth))
		.flatMap(({ occasional }) => occasional);
	const left = new Set([...findMarks(input), ...ofResult]);
	return Object.fromEntries(Object.entries(input).filter(([name]) => !left.has(name)));
}
