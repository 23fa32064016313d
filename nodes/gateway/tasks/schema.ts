import { readErrorBody } from '../errorBody';
import { isBlank, isObject, pick, textAt, toText, type JsonObject } from '../json';
import { hideSignatures } from '../redact';

/** A task in any format of the gateway: spec sections 2.1 and 3. */
export interface Task {
	taskId: string;
	model?: string;
	action?: string;
	/** `queued`, `completed`, `failed`, `cancelled`, or another one in between. */
	status: string;
	/** 0-100. */
	progress: number;
	/** ISO 8601. */
	createdAt?: string;
	completedAt?: string;
	/** When the first of the links expires. */
	expiresAt?: string;
	/** Requested length of a video; known to the node that has submitted it. */
	seconds?: number;
	/** Links to every output, in order. */
	urls: string[];
	/** Settled charge in quota, once the task has ended. */
	cost?: number;
	/** Quota on hold since submission. */
	held?: number;
	reason?: string;
	/** The gateway's own object, untouched. */
	raw: unknown;
}

/** Also as text. Null and empty text are not known, which is not 0. */
function quotaAt(response: JsonObject, name: string): number | undefined {
	const value = response[name];
	const number = typeof value === 'string' && /\d/.test(value) ? Number(value) : value;
	return Number.isFinite(number) ? (number as number) : undefined;
}

/** A completed task whose cost is 0 before its settlement is not free. */
function costOf(raw: JsonObject, status: string): number | undefined {
	const cost = quotaAt(raw, 'cost');
	const isOpen = wordAt(raw, 'billing_status') !== undefined && !isSettled(raw);
	return cost === 0 && status === 'completed' && isOpen ? undefined : cost;
}

const isSettled = (raw: JsonObject): boolean =>
	/^(settled|refund)/i.test(wordAt(raw, 'billing_status') ?? '');

/** Not empty. */
const wordAt = (response: JsonObject, name: string): string | undefined =>
	textAt(response, name) || undefined;

const STATUS = new Map([
	['succeeded', 'completed'],
	['success', 'completed'],
	['complete', 'completed'],
	['canceled', 'cancelled'],
	['failure', 'failed'],
	['error', 'failed'],
]);
const TERMINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);
export const isFinal = (status: string): boolean => TERMINAL.has(status);

/** Ended and refunded in full without a usable output: spec section 1, point 5. */
export const hasNoOutput = ({ status, urls, cost }: Task): boolean =>
	status === 'completed' && !urls.length && cost === 0;

/** Completed, but the reply leaves out the result. */
export const lacksResult = (task: Task): boolean =>
	task.status === 'completed' && !task.urls.length && !hasNoOutput(task);

/** The task will not change any more. */
export const hasEnded = (task: Task): boolean => isFinal(task.status);

/** What a task is known to cost, in quota: its hold while it runs, then what was settled. A hold of 0 says nothing. */
export function readCharge(task: Task): number | undefined {
	const { cost, held = 0, status } = task;
	const hold = held > 0 ? held : undefined;
	if (!hasEnded(task)) return hold;
	if (cost !== undefined && cost >= 0) return cost;
	return status === 'completed' ? hold : 0;
}

/** Events and states share one vocabulary: `succeeded` (section 6) is `completed`. */
export function normalizeStatus(word: string): string {
	const lower = word.trim().toLowerCase();
	return STATUS.get(lower) ?? lower;
}

/** Of tasks only: elsewhere they may be the user's. */
const OTHER_ENDS = new Map([
	['succeed', 'completed'],
	['finished', 'completed'],
	['done', 'completed'],
	['fail', 'failed'],
	['rejected', 'failed'],
]);
/** e.g. `processing`, `waiting_for_review` */
const UNDER_WAY = /ing(_(?!fail|err)|$)|queue|progress/;

/** A word that is not known is an end where the task has been refunded, or is settled with its outputs. */
function statusOf(raw: JsonObject, hasOutput: boolean): string {
	const word = normalizeStatus(wordAt(raw, 'status') ?? 'queued');
	const status = OTHER_ENDS.get(word) ?? word;
	if (isFinal(status) || UNDER_WAY.test(status)) return status;
	if (/^refund/i.test(wordAt(raw, 'billing_status') ?? '')) return 'failed';
	const isEnd = isSettled(raw) || toIsoTime(raw.completed_at) !== undefined;
	return isEnd && hasOutput && quotaAt(raw, 'cost') !== 0 ? 'completed' : status;
}

/** The latest date in JavaScript. */
const LATEST_MS = 8.64e15;

/** A date and time without a time zone, which JavaScript would read in that of this machine. */
const NO_ZONE = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/;

/** Unix seconds or milliseconds, told apart by size, or a date as text. */
function msOf(value: unknown): number {
	if (typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value))
		return Date.parse(NO_ZONE.test(value) ? `${value}Z` : value);
	const numeric = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;
	return numeric > 1e11 ? numeric : numeric * 1000;
}

/** In ISO 8601. Undefined where it is no time. */
export function toIsoTime(value: unknown): string | undefined {
	const ms = msOf(value);
	return ms > 0 && ms <= LATEST_MS ? new Date(ms).toISOString() : undefined;
}

function progressOf(value: unknown, status: string): number {
	if (status === 'completed') return 100;
	const isNumber = typeof value === 'number';
	const parsed = isNumber ? value : Number.parseFloat(typeof value === 'string' ? value : '');
	if (!Number.isFinite(parsed)) return 0;
	const isFraction = isNumber && parsed > 0 && parsed < 1;
	return Math.min(100, Math.max(0, isFraction ? parsed * 100 : parsed));
}

/** Where forms that are not shown keep their outputs. Other links may be the user's own files. */
const OUTPUT_NAME =
	/^((images?|videos?|outputs?|samples?|files?|results?|data|content|media)(_?url)?|urls?)$/i;

function linksIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(linksIn);
	if (isObject(value))
		return Object.keys(value).flatMap((name) =>
			OUTPUT_NAME.test(name) ? linksIn(value[name]) : [],
		);
	const text = toText(value).trim();
	return /^https?:\/\/\S+$/i.test(text) ? [text] : [];
}

/** The entries of `result.images` and `result.videos`. Without them, links in the result, or where it would be. */
function outputsOf(raw: JsonObject): { urls: string[]; expiresAt?: string } {
	const { result } = raw;
	const { images, videos } = isObject(result) ? result : {};
	const stated = [images, videos].filter((list) => !isBlank(list));
	const all = isObject(result) ? Object.values(result) : [result];
	const lists = stated.length ? stated : all;
	const items = lists.flatMap((list) => (Array.isArray(list) ? list : [list].filter(isObject)));
	const urls = items.flatMap((item) => (isObject(item) ? [item.url ?? item.urls].flat() : [item]));
	const ends = items.flatMap((item) => (isObject(item) ? (toIsoTime(item.expires_at) ?? []) : []));
	const named = urls.filter(
		(url): url is string =>
			typeof url === 'string' && (stated.length ? url !== '' : /^https?:\/\//i.test(url)),
	);
	// Without a charge, there may be no output: spec section 1, point 5.
	const isOther = !stated.length && !named.length && costOf(raw, 'completed') !== 0;
	const beside = pick(raw, ['images', 'videos', 'output', 'outputs']);
	const others = isOther ? linksIn(isBlank(result) ? beside : result) : [];
	return { urls: [...named, ...new Set(others)], expiresAt: ends.sort()[0] };
}

/** `success` is stated. Numbers stand for it in forms that count from 0 or like HTTP. */
const SUCCESS = new Set<unknown>(['success', 'ok', 0, 200, '0', '200']);

/** The ID in the legacy `{code, data}`. Beside an error code, `data` is a message (section 2.1). */
function legacyIdOf({ code, data }: JsonObject): string | undefined {
	if (typeof data !== 'string' || !data) return undefined;
	return SUCCESS.has(typeof code === 'string' ? code.toLowerCase() : code) ||
		(isBlank(code) && data.startsWith('task'))
		? data
		: undefined;
}

/** An `id` beside an error and without a status is that of a request. */
const idOf = (response: JsonObject): string | undefined =>
	wordAt(response, 'status') || isBlank(response.error) ? wordAt(response, 'id') : undefined;

function reasonOf(response: JsonObject): string | undefined {
	const { message, code } = readErrorBody(pick(response, ['error', 'errors']));
	const others = ['fail_reason', 'reason', 'message'].map((name) => wordAt(response, name));
	const words = message ?? others.find(Boolean) ?? code;
	return words && hideSignatures(words);
}

/** Reads a task from a submission, a poll, a cancellation, or the legacy `{code, data}`. Undefined without one. */
export function readTask(raw: unknown): Task | undefined {
	if (!isObject(raw)) return undefined;
	const named = wordAt(raw, 'task_id');
	if (!named) {
		const [listed, second] = Array.isArray(raw.data) ? (raw.data as unknown[]) : [];
		const only = !second && textAt(listed, 'task_id') ? listed : undefined;
		const inner = readTask(only ?? raw.data);
		if (inner) return { ...inner, raw };
		if (isObject(raw.data)) return undefined;
	}
	const taskId = named ?? legacyIdOf(raw) ?? idOf(raw);
	if (!taskId) return undefined;
	const { urls, expiresAt } = outputsOf(raw);
	const status = statusOf(raw, urls.length > 0);
	return {
		taskId,
		model: wordAt(raw, 'model'),
		action: wordAt(raw, 'action'),
		status,
		progress: progressOf(raw.progress, status),
		createdAt: toIsoTime(raw.created_at),
		completedAt: toIsoTime(raw.completed_at ?? raw.finished_at),
		expiresAt,
		urls,
		cost: isFinal(status) ? costOf(raw, status) : undefined,
		held: quotaAt(raw, 'pre_consumed_cost'),
		reason: status === 'failed' ? reasonOf(raw) : undefined,
		raw,
	};
}
