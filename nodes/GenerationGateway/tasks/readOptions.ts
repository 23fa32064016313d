import type { PollOptions } from '../../gateway/tasks/awaitTask';
import type { ItemReader } from '../../n8n/itemReader';
import type { OutputOptions } from '../../n8n/items/task';
import { simplify } from '../../n8n/options';
import type { CostLimits } from '../account/budget';
import {
	download,
	maximumCost,
	maximumDailyCost,
	maximumRunCost,
	output,
	pollInterval,
	timeout,
	unknownPrice,
} from './parameters';
import { isTool } from './taskKey';

/** The field of the files, unless it is named. */
const DEFAULT_FIELD = 'data';

/** How the task of an item becomes its output: links, unless files are wanted. */
export function readOutputOptions(item: ItemReader): OutputOptions {
	const kind = item.option(output);
	const named = item.option(download) || (kind && DEFAULT_FIELD);
	return {
		download: kind === 'links' ? undefined : named || undefined,
		...(kind === 'files' && { omitsLinks: true }),
		itemNumber: item.index + 1,
		simplify: item.option(simplify),
	};
}

/** The same for a panel: the result is in front of the user without an option. An agent gets links, which fit into its context. */
export function readPanelOutputOptions(item: ItemReader): OutputOptions {
	const options = readOutputOptions(item);
	const isSet = [output, download].some(({ name }) => name in item.rawOptions);
	if (isSet || isTool(item)) return options;
	return { ...options, download: DEFAULT_FIELD, isDownloadOptional: true };
}

export const readPollOptions = (item: ItemReader): PollOptions => ({
	timeoutMs: item.option(timeout) * 1000,
	longestMs: item.option(pollInterval) * 1000,
});

export const readCostLimits = (item: ItemReader): CostLimits => ({
	perItem: item.option(maximumCost),
	perExecution: item.option(maximumRunCost),
	perDay: item.option(maximumDailyCost),
	sendsUnpriced: item.option(unknownPrice) === 'send',
});
