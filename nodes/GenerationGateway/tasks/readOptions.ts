import type { PollOptions } from '../../gateway/tasks/awaitTask';
import type { ItemReader } from '../../n8n/itemReader';
import type { OutputOptions } from '../../n8n/items/task';
import { simplify } from '../../n8n/options';
import type { CostLimits } from '../account/budget';
import {
	download,
	linksOnly,
	maximumCost,
	maximumRunCost,
	pollInterval,
	timeout,
	unknownPrice,
} from './parameters';

/** How the task of an item becomes its output. */
export const readOutputOptions = (item: ItemReader): OutputOptions => ({
	download: item.option(download) || undefined,
	itemNumber: item.index + 1,
	simplify: item.option(simplify),
});

/** The field of the files of a panel, which are there unless the user wants links only. */
const DEFAULT_FIELD = 'data';

/** The same for a panel: the result is in front of the user without an option. An agent gets links, which fit into its context. */
export function readPanelOutputOptions(item: ItemReader): OutputOptions {
	const options = readOutputOptions(item);
	if (item.option(linksOnly)) return { ...options, download: undefined };
	const isTool = item.context.getNode().type.endsWith('Tool');
	if (download.name in item.rawOptions || isTool) return options;
	return { ...options, download: DEFAULT_FIELD, isDownloadOptional: true };
}

export const readPollOptions = (item: ItemReader): PollOptions => ({
	timeoutMs: item.option(timeout) * 1000,
	longestMs: item.option(pollInterval) * 1000,
});

export const readCostLimits = (item: ItemReader): CostLimits => ({
	perItem: item.option(maximumCost),
	perExecution: item.option(maximumRunCost),
	sendsUnpriced: item.option(unknownPrice) === 'send',
});
