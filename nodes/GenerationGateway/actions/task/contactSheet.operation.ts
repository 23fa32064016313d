import type { IDataObject } from 'n8n-workflow';
import { isBlank, isObject, toText } from '../../../catalog/json';
import { findModelSpec, getModelKind } from '../../../catalog/modelSpec';
import { quotaToUsd } from '../../../catalog/pricing';
import { hasEnded, readTask, type Task } from '../../../gateway/tasks/schema';
import { findMedia } from '../../../n8n/binary/mediaTypes';
import { isAnswer } from '../../../n8n/items/includeInput';
import { createLastingLink, LINK_DAYS } from '../../../n8n/binary/signedLink';
import type { ItemReader } from '../../../n8n/itemReader';
import {
	hasResult,
	renderContactSheet,
	summarize,
	type SheetRow,
	type SheetFile,
} from '../../../n8n/items/contactSheet';
import { optionsCollection } from '../../../n8n/options';
import { textParameter } from '../../../n8n/parameters';
import type { Operation, Run } from '../../operation';
import { download, keepsExecution, linkDays } from '../../tasks/outputOptions';

const title = textParameter({
	name: 'title',
	displayName: 'Title',
	description: 'Heading of the page',
	shown: 'Contact sheet',
});

const caption = textParameter({
	name: 'caption',
	displayName: 'Caption',
	placeholder: 'e.g. {{ $json.prompt }}',
	shown: '={{ $json.prompt }}',
	acceptsJson: true,
	description:
		'Text under each result. For prompts of input items, add Include Input Fields to the node that makes the results.',
});

const options = optionsCollection([
	{ ...download.property, description: 'Binary field of the page' },
	{
		...linkDays.property,
		description: 'How many days the pictures work, for anyone who has the page',
	},
]);

interface Plan {
	title: string;
	field: string;
	row: SheetRow;
}

/** Puts all items, results and failures, on one page: one item with `html` and a file. Sends nothing. */
export const contactSheet: Operation<Plan> = {
	properties: [title.property, caption.property, options],
	plan(item, run) {
		const plan = {
			title: item.parameter(title) || (title.property.default as string),
			field: item.option(download) || 'data',
			row: toRow(item, run),
		};
		// The first item that can be shown makes the page.
		item.assertValid();
		getPlans(run).push(plan);
		const { failure, running } = plan.row;
		if (running)
			run.summary.addWarning(
				'The task has not ended. Put Task > Await before this node',
				item.index,
			);
		else if (!failure && !hasResult(plan.row) && !Object.keys(item.files).length)
			run.summary.addWarning(
				'No result. Put this node after the one that makes the results, and turn off Check Price Only there',
				item.index,
			);
		return plan;
	},
	async perform(plan, run) {
		const plans = getPlans(run);
		if (plan !== plans[0]) return [];
		const rows = plans.map(({ row }) => row);
		const isWanted = run.context.getNode().parameters.caption !== '';
		const shown = rows.filter(({ files }) => files.length);
		if (isWanted && shown.length && !shown.some((row) => row.caption))
			run.summary.addWarning(NO_CAPTION);
		const html = renderContactSheet(plan.title, rows);
		const file = await run.context.helpers.prepareBinaryData(
			Buffer.from(html),
			'contact-sheet.html',
			'text/html',
		);
		const pairedItem = rows.map(({ index }) => ({ item: index }));
		return [{ json: { html, ...summarize(rows) }, binary: { [plan.field]: file }, pairedItem }];
	},
};

/** Of all items, in their order. */
const getPlans = (run: Run): Plan[] => run.share('contactSheet', () => []);

function toRow(item: ItemReader, run: Run): SheetRow {
	const { json } = item;
	const details = isObject(json.details) ? json.details : {};
	const isFailed = Boolean(json.error && details.code);
	// Beside them, the fields of an earlier task say nothing.
	const isInDetails = isFailed && Boolean(details.task_id || json.status === null);
	const task = readTask(isInDetails ? details : json);
	// Behind e.g. a text with Include Input Fields, the model is that of the text, and the cost may be.
	const kind = getModelKind(task?.model ?? '') ?? (isAnswer(json) ? 'text' : 'image');
	const made =
		task && kind !== 'image' && kind !== 'video'
			? { model: undefined, cost: run.record.costOf(task.taskId) || undefined }
			: task;
	const model = made?.model ?? (isBlank(details.model) ? undefined : toText(details.model));
	const cost = made?.cost ?? details.billed;
	const failure = readFailure(json, details.code, task);
	const hasFiles = !isFailed || (task && !isInDetails);
	const days = item.option(linkDays) ?? LINK_DAYS;
	const files = hasFiles ? readFiles(run, item, json, task, days) : [];
	return {
		index: item.index,
		caption: item.parameter(caption),
		taskId: task?.taskId,
		model,
		usd: typeof cost === 'number' ? quotaToUsd(cost) : undefined,
		seconds: task && readSeconds(task),
		files,
		running: failure || files.length ? undefined : readRunning(json, task),
		failure,
	};
}

/** Of a task of the gateway. Rows of a table have an ID and a status as well. */
function readRunning(json: IDataObject, task: Task | undefined): string | undefined {
	const state = isObject(json.data) ? { ...json.data, ...json } : json;
	const isState = task && state.task_id === task.taskId && 'progress' in state;
	return isState && !isBlank(state.status) && !hasEnded(task) ? task.status : undefined;
}

function readSeconds({ createdAt, completedAt }: Task): number | undefined {
	if (!createdAt || !completedAt) return undefined;
	return Math.max(0, Math.round((Date.parse(completedAt) - Date.parse(createdAt)) / 1000));
}

const NO_CAPTION =
	'No item has a caption. For the prompts, add Include Input Fields to the node that makes the results';
const NOT_STORED =
	'The page cannot show a file that n8n keeps in memory. It has the link of the gateway, which expires, or no picture. Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem or another stored mode';
const EXPIRING =
	'The page has links of the gateway, most of which expire after 24 hours. For links that last, add Lasting Links (Days) to the node that makes the results';
const NOT_SAVED =
	'n8n soon deletes the files of executions that it does not save, and the pictures on the page stop working then. Let n8n save them in the settings of the workflow';

/** Lasting links to files in n8n, otherwise the links of the item. */
function readFiles(
	{ summary, context }: Run,
	item: ItemReader,
	json: IDataObject,
	task: Task | undefined,
	forDays: number,
): SheetFile[] {
	const stored = Object.values(item.files).flatMap((data) => {
		const link = createLastingLink(context, data, forDays);
		const isImage = (data.mimeType ?? '').startsWith('image/');
		return link ? [{ link, name: data.fileName ?? 'file', isImage }] : [];
	});
	// A trial run is saved, but those of the active workflow may not be.
	const isSaved = keepsExecution(context) && keepsExecution(context, 'trigger');
	if (stored.length && !isSaved) summary.addWarning(NOT_SAVED);
	if (stored.length) return stored;
	if (Object.keys(item.files).length) summary.addWarning(NOT_STORED);
	const lists = [json.file_urls, json.urls, task?.urls];
	const links = lists.find((list) => Array.isArray(list) && list.length > 0) as unknown[];
	const isPassing = task && links && links !== json.file_urls && !Object.keys(item.files).length;
	if (isPassing) summary.addWarning(EXPIRING);
	const { media = 'image' } = findModelSpec(task?.model ?? '') ?? {};
	return (links ?? [])
		.map(toText)
		.filter((link) => /^https?:/i.test(link) && URL.canParse(link))
		.map((link) => {
			const name = new URL(link).pathname.split('/').pop()!;
			return { link, name, isImage: (findMedia(name) ?? media) === 'image' };
		});
}

/** Of a failed item, or of a task without a result. */
function readFailure(
	{ error }: IDataObject,
	code: unknown,
	task: Task | undefined,
): SheetRow['failure'] {
	if (error && (code || !task))
		return {
			code: code ? toText(code) : 'error',
			message: toText(isObject(error) ? (error.message ?? error.description ?? error) : error),
		};
	if (task?.status !== 'failed' && task?.status !== 'cancelled') return undefined;
	return { code: task.status, message: task.reason ?? '' };
}
