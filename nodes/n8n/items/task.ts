import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { quotaToUsd } from '../../catalog/pricing';
import type { Limiter } from '../../gateway/concurrency';
import { GatewayError } from '../../gateway/errors';
import { hasEnded, hasNoOutput, type Task } from '../../gateway/tasks/schema';
import { downloadResults } from '../binary/download';
import type { Downloader } from '../binary/fetchFile';
import { createLastingLink, type Signer } from '../binary/signedLink';
import { toGatewayError } from './failure';

/** How a task becomes an item. */
export interface OutputOptions {
	/** Binary field of the files. Undefined: no download. */
	download?: string;
	/** The item has the links, and the files that can be had. */
	isDownloadOptional?: true;
	/** Without links once the files are there. */
	omitsLinks?: true;
	/** The files are only stored for `file_urls`. */
	omitsFiles?: true;
	/** How many days `file_urls` work. Undefined: none. */
	linkDays?: number;
	isInGallery?: true;
	marksAsAi?: true;
	/** From 1, for file names. */
	itemNumber?: number;
	/** Other tasks have the same number: those of a list, or of a further pass of a loop. */
	isNumberShared?: boolean;
	/** From 1, where each output is an item. */
	outputNumber?: number;
	simplify: boolean;
}

/** `pairedItem`: where it is made of several items. */
export type OutputItem = Pick<INodeExecutionData, 'json' | 'binary' | 'pairedItem'>;

export interface DownloadContext {
	limit: Limiter;
	signal?: AbortSignal;
	/** Called with the reason. */
	onMissingFiles?: (reason: GatewayError) => void;
	/** Called with the file and the reason. */
	onUnmarked?: (message: string) => void;
}

/** A larger file is not loaded into memory unless the user asks for it. */
const LONGEST_IN_MEMORY = 20_000_000;

/** e.g. `imgn-4.0-3`: the model, and the item, the end of the task ID or both. Task IDs may begin alike. */
function fileNameOf(
	{ model, taskId }: Task,
	{ itemNumber, isNumberShared, outputNumber }: Partial<OutputOptions>,
): string {
	const id = (!itemNumber || isNumberShared) && taskId.replace(/^task_/, '').slice(-8);
	return [model, itemNumber, id, outputNumber].filter(Boolean).join('-');
}

/** With the names of the gateway, and times in ISO 8601. `cost` in quota once settled, the hold before. */
export function taskToJson(task: Task): IDataObject {
	// 0 on failure or cancellation (spec section 2.1).
	const isFailed = hasEnded(task) && task.status !== 'completed';
	const cost = task.cost ?? (isFailed ? 0 : undefined);
	return {
		task_id: task.taskId,
		model: task.model ?? null,
		action: task.action ?? null,
		status: task.status,
		progress: task.progress,
		created_at: task.createdAt ?? null,
		completed_at: task.completedAt ?? null,
		expires_at: task.expiresAt ?? null,
		urls: task.urls,
		cost: cost ?? null,
		cost_usd: cost === undefined ? null : quotaToUsd(cost),
		...(cost === undefined && task.held !== undefined && { pre_consumed_cost: task.held }),
		...(task.reason !== undefined && { reason: task.reason }),
	};
}

const describeUnmarked = (what: string, reason: string): string =>
	`${what} not marked as made by AI: ${reason}`;

/** The item of a task, with its files. An error of a file keeps task ID, links and cost, since the task is paid. */
export async function taskToItem(
	node: Downloader & Signer,
	task: Task,
	{ download, linkDays, simplify, ...wanted }: OutputOptions,
	{ limit, signal, onMissingFiles, onUnmarked }: DownloadContext,
): Promise<OutputItem> {
	const json = simplify ? taskToJson(task) : (task.raw as IDataObject);
	if (task.status !== 'completed') return { json };
	if (!download) {
		if (wanted.marksAsAi && task.urls.length)
			onUnmarked?.(
				describeUnmarked(`The files of ${task.taskId} are`, 'only their links are returned'),
			);
		return { json };
	}
	const names = { field: download, file: fileNameOf(task, wanted) };
	let missing: GatewayError | undefined;
	const optional = wanted.isDownloadOptional && {
		longestInMemory: LONGEST_IN_MEMORY,
		onMissing: (reason: GatewayError) => void (missing ??= reason),
	};
	try {
		const mark = wanted.marksAsAi && {
			details: task,
			onUnmarked: (name: string, reason: string) =>
				onUnmarked?.(describeUnmarked(`${name} is`, reason)),
		};
		const binary = await downloadResults(node, task, names, { limit, signal, mark, ...optional });
		if (missing) onMissingFiles?.(missing);
		if (missing && !Object.keys(binary).length) return { json };
		const isLink = ([name]: [string, unknown]) => name === 'urls' || name === 'expires_at';
		const others = Object.entries(json).filter((field) => !isLink(field));
		const links = Object.values(binary).flatMap(
			(data) => (linkDays && createLastingLink(node, data, linkDays)) || [],
		);
		return {
			json: {
				...(wanted.omitsLinks && simplify ? Object.fromEntries(others) : json),
				...(linkDays && { file_urls: links }),
			},
			...(!wanted.omitsFiles && { binary }),
		};
	} catch (error) {
		const { taskId: task_id, status, cost: billed, urls, expiresAt: expires_at } = task;
		throw toGatewayError(error).addDetails({ task_id, status, billed, urls, expires_at });
	}
}

/** The request is the reason, so another run would end alike. */
const POLICY =
	/polic(y|ies)|moderat|safety|sensitive|prohibited|nsfw|inappropriate|violat|content filter/i;

/** The error of a task without a result, with what was billed. Undefined for any other. */
export function findTaskError(
	task: Task,
	{ reused, fallback_from }: IDataObject = {},
): GatewayError | undefined {
	const { taskId: task_id, status, model, cost: billed = 0, reason } = task;
	if (status !== 'failed' && status !== 'cancelled') return undefined;
	const isFailed = status === 'failed';
	const money = billed ? `${billed} quota were charged.` : 'It was refunded in full.';
	const isRefused = isFailed && POLICY.test(reason ?? '');
	const again = `Run it again for a new task${isFailed ? ', or change the request' : ''}.`;
	const next = isRefused
		? 'Change the prompt or the files: the same request is refused again.'
		: again;
	return new GatewayError(
		isFailed ? 'task_failed' : 'task_cancelled',
		`The task ${task_id} ${isFailed ? 'failed' : 'was cancelled'}${reason ? `: ${reason}` : ''}`,
		{
			hint: `${money} ${next}`,
			details: {
				task_id,
				status,
				model,
				billed,
				...(isRefused && { retry: false }),
				// The execution that made it has cancelled it.
				...(reused && !isFailed && { retry: true }),
				...(fallback_from && { fallback_from }),
			},
		},
	);
}

/** Why another model is to be tried, though the task has not failed: it has no output, and was refunded. */
export const findEmpty = (task: Task): GatewayError | undefined =>
	hasNoOutput(task)
		? new GatewayError('task_failed', `The task ${task.taskId} ended without a usable output`, {
				details: { task_id: task.taskId, status: task.status, billed: 0 },
			})
		: undefined;
