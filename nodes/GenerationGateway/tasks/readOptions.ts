import type { PollOptions } from '../../gateway/tasks/awaitTask';
import { isKeptInMemory } from '../../n8n/binary/download';
import type { ItemReader } from '../../n8n/itemReader';
import type { OutputOptions } from '../../n8n/items/task';
import { simplify } from '../../n8n/options';
import type { CostLimits } from '../account/charge';
import type { Run } from '../operation';
import {
	download,
	gallery,
	linkDays,
	markAsAi,
	maximumCost,
	maximumDailyCost,
	maximumRunCost,
	output,
	pollInterval,
	timeout,
	unknownPrice,
} from './parameters';
import { isTool } from './taskKey';

const DEFAULT_FIELD = 'data';

/** Links, unless the user wants files, or wants them marked. */
export async function readOutputOptions(item: ItemReader, run: Run): Promise<OutputOptions> {
	const kind = item.option(output);
	const days = await readLinkDays(item, run);
	const marksAsAi = item.option(markAsAi);
	const isFile = kind !== undefined || days !== undefined || marksAsAi;
	const named = item.option(download) || (isFile && DEFAULT_FIELD);
	const isStored = kind !== 'links' || days !== undefined;
	return {
		download: (isStored && named) || undefined,
		...(kind === 'files' && { omitsLinks: true }),
		...(kind === 'links' && days && { omitsFiles: true }),
		...(days && { linkDays: days }),
		...(item.option(gallery) && !isTool(item) && { isInGallery: true }),
		...(marksAsAi && { marksAsAi }),
		itemNumber: item.index + 1,
		simplify: item.option(simplify),
	};
}

/** A panel returns the file by default. An agent gets links, which fit into its context. */
export async function readPanelOutputOptions(item: ItemReader, run: Run): Promise<OutputOptions> {
	const options = await readOutputOptions(item, run);
	const isSet = [output, download, linkDays].some(({ name }) => name in item.rawOptions);
	if (isSet || isTool(item)) return options;
	return { ...options, download: DEFAULT_FIELD, isDownloadOptional: true };
}

/** Where n8n cannot make links, that is said before anything is paid. */
async function readLinkDays(item: ItemReader, run: Run): Promise<number | undefined> {
	const days = item.option(linkDays);
	if (days === undefined) return undefined;
	const { helpers } = run.context;
	const isMissing = !(helpers as Partial<typeof helpers>).createBinarySignedUrl;
	const inMemory = await run.share('inMemory', async () => await isKeptInMemory(run.context));
	const { displayName } = linkDays.property;
	if (isMissing) item.addIssue(linkDays.name, `${displayName} needs a newer n8n`);
	else if (inMemory)
		item.addIssue(
			linkDays.name,
			`${displayName} needs stored files, but this n8n keeps files in memory. Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem or another stored mode`,
		);
	return days;
}

export const readPollOptions = (item: ItemReader): PollOptions => ({
	timeoutMs: item.option(timeout) * 1000,
	longestMs: item.option(pollInterval) * 1000,
});

export const readCostLimits = (
	item: ItemReader,
	noun: CostLimits['noun'] = 'task',
): CostLimits => ({
	noun,
	perItem: item.option(maximumCost),
	perExecution: item.option(maximumRunCost),
	perDay: item.option(maximumDailyCost),
	sendsUnpriced: item.option(unknownPrice) === 'send',
});
