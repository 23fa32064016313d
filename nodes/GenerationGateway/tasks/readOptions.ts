import type { PollOptions } from '../../gateway/tasks/awaitTask';
import type { ItemReader } from '../../n8n/itemReader';
import type { OutputOptions } from '../../n8n/items/task';
import { simplify } from '../../n8n/options';
import type { CostLimits } from '../runBudget';
import {
	download,
	maximumCost,
	maximumRunCost,
	pollInterval,
	timeout,
	unknownPrice,
} from './parameters';

/** How the task of an item becomes its output. */
export const readOutputOptions = (item: ItemReader): OutputOptions => ({
	download: item.option(download) || undefined,
	simplify: item.option(simplify),
});

export const readPollOptions = (item: ItemReader): PollOptions => ({
	timeoutMs: item.option(timeout) * 1000,
	longestMs: item.option(pollInterval) * 1000,
});

export const readCostLimits = (item: ItemReader): CostLimits => ({
	perItem: item.option(maximumCost),
	perExecution: item.option(maximumRunCost),
	sendsUnpriced: item.option(unknownPrice) === 'send',
});
