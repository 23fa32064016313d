import type { IExecuteFunctions } from 'n8n-workflow';
import { isKeptInMemory } from '../../n8n/binary/fetchFile';
import { LINK_DAYS } from '../../n8n/binary/signedLink';
import type { ItemReader } from '../../n8n/itemReader';
import type { OutputOptions } from '../../n8n/items/task';
import { offerLater, simplify } from '../../n8n/options';
import {
	choiceParameter,
	numberParameter,
	switchParameter,
	textParameter,
} from '../../n8n/parameters';
import type { Run } from '../operation';

/** `links` leaves the files at the gateway; `files` leaves out the links, which expire. */
export const output = choiceParameter<'both' | 'files' | 'links', undefined>({
	name: 'output',
	displayName: 'Output',
	options: [
		{ name: 'Both', value: 'both' },
		{ name: 'Files', value: 'files', description: 'In a binary field' },
		{ name: 'Links', value: 'links', description: 'Most expire after 24 hours' },
	],
	shown: 'files',
	fallback: undefined,
	description: 'How to return the results',
});

export const download = textParameter({
	name: 'download',
	displayName: 'Output Field Name',
	shown: 'data',
	description: 'Binary field of the file; further files go to _1, _2 and so on',
});

export const linkDays = numberParameter({
	name: 'linkDays',
	displayName: 'Lasting Links (Days)',
	description:
		'Adds file_urls: links to the files in n8n that work for this many days, without a login',
	min: 1,
	max: 3_650,
	isInteger: true,
	shown: LINK_DAYS,
});

export const gallery = switchParameter({
	name: 'gallery',
	displayName: 'Show Gallery',
	description: 'Whether the output panel shows the first results as pictures',
	isOn: true,
});

export const markAsAi = switchParameter({
	name: 'markAsAi',
	displayName: 'Mark as Made by AI',
	description:
		'Whether to write into JPEG, PNG, WebP and MP4 files that they are made by AI, with model, task and time',
});

export const fileOptions = (show?: Parameters<typeof offerLater>[1]) =>
	[download, linkDays, markAsAi, gallery].map((option) => offerLater(option, show));

const DEFAULT_FIELD = 'data';

/** Links, unless the user wants files, or wants them marked. */
export async function readOutputOptions(item: ItemReader, run: Run): Promise<OutputOptions> {
	const kind = item.option(output);
	const days = await readLinkDays(item, run);
	const marksAsAi = item.option(markAsAi);
	const isNamed = download.name in item.rawOptions;
	const isFile = isNamed || kind !== undefined || days !== undefined || marksAsAi;
	const named = item.option(download) || (isFile && DEFAULT_FIELD);
	const isStored = kind !== 'links' || days !== undefined;
	return {
		download: (isStored && named) || undefined,
		...(kind === 'files' && { omitsLinks: true }),
		...(kind === 'links' && days && { omitsFiles: true }),
		...(days && { linkDays: days }),
		...(item.option(gallery) && !item.isTool && { isInGallery: true }),
		...(marksAsAi && { marksAsAi }),
		itemNumber: item.index + 1,
		isNumberShared: run.runIndex > 0 || String(item.raw('taskId', '')).includes(','),
		simplify: item.option(simplify),
	};
}

/** A panel returns the file by default. An agent gets links, which fit into its context. */
export async function readPanelOutputOptions(item: ItemReader, run: Run): Promise<OutputOptions> {
	const options = await readOutputOptions(item, run);
	const isSet = [output, download, linkDays].some(({ name }) => name in item.rawOptions);
	if (isSet || item.isTool) return options;
	return { ...options, download: DEFAULT_FIELD, isDownloadOptional: true };
}

/** By the settings of the workflow. Those of the instance are not known here. */
export function keepsExecution(context: IExecuteFunctions, mode = context.getMode()): boolean {
	const { saveManualExecutions, saveDataSuccessExecution } = context.getWorkflowSettings();
	if (mode === 'manual') return saveManualExecutions !== false;
	return saveDataSuccessExecution !== 'none';
}

/** Where n8n cannot make links, that is said before anything is paid. */
async function readLinkDays(item: ItemReader, run: Run): Promise<number | undefined> {
	const days = item.option(linkDays);
	if (days === undefined) return undefined;
	const inMemory = await run.share('inMemory', async () => await isKeptInMemory(run.context));
	const addIssue = (need: string) =>
		item.addIssue(linkDays.name, `${linkDays.property.displayName} needs ${need}`);
	if (!keepsExecution(run.context))
		addIssue(
			'saved executions: n8n deletes the files of others. Let n8n save them in the settings of the workflow',
		);
	else if (inMemory)
		addIssue(
			'stored files, but this n8n keeps files in memory. Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem or another stored mode',
		);
	return days;
}
