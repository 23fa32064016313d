import type { IDataObject } from 'n8n-workflow';
import { file, type GivenItem } from '../../scripts/engine';
import { modelId, type Menu } from '../support/gateway';

/** What the gateway is asked to do, as far as faults are concerned. */
export type CallKind =
	| 'submit'
	| 'read'
	/** The same task again, when it has ended. */
	| 'wait'
	/** The state of a task, within a wait. */
	| 'poll'
	| 'review'
	/** The same, while nothing but its ID is known. */
	| 'first poll'
	| 'cancel'
	/** Not repeated: it has no idempotency key. */
	| 'write'
	| 'delete'
	| 'answer'
	| 'stream'
	| 'upload'
	| 'download'
	/** The state of a task, within a callback to the trigger. */
	| 'callback'
	/** The state of a task, within a callback to a suspended execution. */
	| 'resume';

/** What exists before the run, by the name of its placeholder in the parameters. */
export type Prepared = 'running task' | 'ended task' | 'asset';

/** One call of the code: the operation that makes it, and how it is told from the others. */
export interface CallRow {
	name: string;
	kind: CallKind;
	/** The source file and function that make it. */
	site: string;
	match: { method: string; path: RegExp };
	menu: Menu;
	parameters: (id: string) => IDataObject;
	prepared?: Prepared;
	items?: GivenItem[];
	/** What one success costs: a task, or an answer each time. */
	paid?: 'task' | 'answer';
	/** How it looks when it has worked: the value of one field of the item. */
	done: [field: string, pattern: RegExp];
	/** How long a task takes, in milliseconds. */
	taskMs?: number;
	/** Faults strike from the second poll on, when the execution is about to be suspended. */
	isBeforeSuspending?: true;
	/** The task may be cancelled when the user stops the run. */
	canCancel?: true;
}

const TASKS = /^\/v1\/tasks$/;
const TASK = /^\/v1\/tasks\/[^/]+$/;
const CANCEL = /^\/v1\/tasks\/[^/]+\/cancel$/;
const ASSETS = /^\/v1\/assets$/;
const ASSET = /^\/v1\/assets\/[^/]+$/;
const image = { model: modelId('imgn-4.0'), prompt: 'a kite' };
const talk: GivenItem[] = [
	{ json: {}, binary: { data: file('speech '.repeat(50), 'talk.mp3', 'audio/mpeg') } },
];
const messages = { messages: { entry: [{ role: 'user', text: 'hello' }] } };

const text = (
	name: 'chat' | 'respond' | 'message' | 'generateContent',
	path: RegExp,
	isStream: boolean,
): CallRow => ({
	name: `text:${name}${isStream ? ' streamed' : ''}`,
	kind: isStream ? 'stream' : 'answer',
	site: 'gateway/text/complete.ts completeText',
	match: { method: 'POST', path },
	menu: `text:${name}`,
	parameters: () => ({ ...messages, options: { stream: isStream } }),
	paid: 'answer',
	done: ['text', /\w/],
});

export const CALLS: readonly CallRow[] = [
	{
		name: 'submit',
		kind: 'submit',
		site: 'gateway/tasks/api.ts postTask',
		match: { method: 'POST', path: TASKS },
		menu: 'task:submit',
		parameters: () => ({ model: modelId('imgn-4.0'), parameters: '{ "prompt": "a kite" }' }),
		paid: 'task',
		done: ['status', /queued|processing|completed/],
		canCancel: true,
	},
	{
		name: 'submit and wait',
		kind: 'submit',
		site: 'gateway/tasks/api.ts postTask',
		match: { method: 'POST', path: TASKS },
		menu: 'image:generate',
		parameters: () => ({ ...image, wait: 'poll', options: { cancelOnStop: true } }),
		paid: 'task',
		done: ['status', /completed/],
		canCancel: true,
	},
	{
		name: 'submit under a limit',
		kind: 'submit',
		site: 'gateway/tasks/api.ts postTask',
		match: { method: 'POST', path: TASKS },
		menu: 'image:generate',
		parameters: () => ({ ...image, wait: 'poll', options: { maximumCost: 1, cancelOnStop: true } }),
		paid: 'task',
		done: ['status', /completed/],
		canCancel: true,
	},
	{
		name: 'wait in a request',
		kind: 'wait',
		site: 'gateway/tasks/api.ts waitInRequest',
		match: { method: 'POST', path: TASKS },
		menu: 'image:generate',
		parameters: () => ({ ...image, wait: 'poll', options: { cancelOnStop: true } }),
		paid: 'task',
		done: ['status', /completed/],
		canCancel: true,
	},
	{
		name: 'poll after submitting',
		kind: 'poll',
		site: 'gateway/tasks/api.ts getTask',
		match: { method: 'GET', path: TASK },
		menu: 'image:generate',
		parameters: () => ({ ...image, wait: 'poll', options: { cancelOnStop: true, timeout: 900 } }),
		paid: 'task',
		done: ['status', /completed/],
		canCancel: true,
	},
	{
		name: 'first poll of await',
		kind: 'first poll',
		site: 'gateway/tasks/api.ts getTask',
		match: { method: 'GET', path: TASK },
		menu: 'task:await',
		prepared: 'running task',
		parameters: (id) => ({ taskId: id, options: { cancelOnStop: true, timeout: 900 } }),
		paid: 'task',
		done: ['status', /completed/],
		canCancel: true,
	},
	{
		name: 'task:get',
		kind: 'read',
		site: 'gateway/tasks/api.ts getTask',
		match: { method: 'GET', path: TASK },
		menu: 'task:get',
		prepared: 'ended task',
		parameters: (id) => ({ taskId: id }),
		done: ['status', /completed/],
	},
	{
		name: 'task:cancel',
		kind: 'cancel',
		site: 'gateway/tasks/api.ts cancelTask',
		match: { method: 'POST', path: CANCEL },
		menu: 'task:cancel',
		prepared: 'running task',
		taskMs: 3_600_000,
		parameters: (id) => ({ taskId: id }),
		done: ['status', /cancelled/],
	},
	{
		name: 'asset:create',
		kind: 'write',
		site: 'gateway/assets/api.ts createAsset',
		match: { method: 'POST', path: ASSETS },
		menu: 'asset:create',
		parameters: () => ({ url: 'https://example.com/face.png', wait: 'none' }),
		done: ['status', /processing/],
	},
	{
		name: 'asset:create, its review',
		kind: 'review',
		site: 'gateway/assets/api.ts getAsset',
		match: { method: 'GET', path: ASSET },
		menu: 'asset:create',
		parameters: () => ({ url: 'https://example.com/face.png', wait: 'poll' }),
		done: ['status', /active/],
	},
	{
		name: 'asset:get',
		kind: 'read',
		site: 'gateway/assets/api.ts getAsset',
		match: { method: 'GET', path: ASSET },
		menu: 'asset:get',
		prepared: 'asset',
		parameters: (id) => ({ assetId: modelId(id) }),
		done: ['id', /\w/],
	},
	{
		name: 'asset:getAll',
		kind: 'read',
		site: 'gateway/assets/api.ts getAssetPage',
		match: { method: 'GET', path: ASSETS },
		menu: 'asset:getAll',
		prepared: 'asset',
		parameters: () => ({}),
		done: ['id', /\w/],
	},
	{
		name: 'asset:delete',
		kind: 'delete',
		site: 'gateway/assets/api.ts deleteAsset',
		match: { method: 'DELETE', path: ASSET },
		menu: 'asset:delete',
		prepared: 'asset',
		parameters: (id) => ({ assetId: modelId(id) }),
		done: ['deleted', /true/],
	},
	text('chat', /^\/v1\/chat\/completions$/, false),
	text('chat', /^\/v1\/chat\/completions$/, true),
	text('respond', /^\/v1\/responses$/, false),
	text('respond', /^\/v1\/responses$/, true),
	text('message', /^\/v1\/messages$/, false),
	text('message', /^\/v1\/messages$/, true),
	text('generateContent', /:generateContent$/, false),
	...(['transcribe', 'translate'] as const).map((name): CallRow => ({
		name: `audio:${name}`,
		kind: 'upload',
		site: 'gateway/audio/api.ts sendAudio',
		match: { method: 'POST', path: /^\/v1\/audio\// },
		menu: `audio:${name}`,
		items: talk,
		parameters: () => ({}),
		paid: 'answer',
		done: ['text', /\w/],
	})),
	{
		name: 'embedding:create',
		kind: 'write',
		site: 'gateway/embeddings/api.ts createEmbeddings',
		match: { method: 'POST', path: /^\/v1\/embeddings$/ },
		menu: 'embedding:create',
		parameters: () => ({ input: 'hello' }),
		paid: 'answer',
		done: ['embedding', /\d/],
	},
	{
		name: 'model:getAll',
		kind: 'read',
		site: 'gateway/models/api.ts listModels',
		match: { method: 'GET', path: /^\/v1\/models$/ },
		menu: 'model:getAll',
		parameters: () => ({ returnAll: false, limit: 1 }),
		done: ['id', /\w/],
	},
	{
		name: 'download',
		kind: 'download',
		site: 'n8n/binary/fetchFile.ts fetchFile',
		match: { method: 'GET', path: /^\/files\// },
		menu: 'task:get',
		prepared: 'ended task',
		parameters: (id) => ({ taskId: id, options: { download: 'data' } }),
		done: ['status', /completed/],
	},
	{
		name: 'callback to the trigger',
		kind: 'callback',
		site: 'gateway/tasks/api.ts getTask',
		match: { method: 'GET', path: TASK },
		menu: 'trigger:callback',
		prepared: 'ended task',
		parameters: () => ({}),
		done: ['status', /completed/],
	},
	{
		name: 'callback to a suspended execution',
		kind: 'resume',
		site: 'gateway/tasks/api.ts getTask',
		match: { method: 'GET', path: TASK },
		menu: 'task:await',
		prepared: 'running task',
		parameters: (id) => ({ taskId: id, waitBy: 'suspend', suspendHours: 24 }),
		done: ['status', /completed/],
	},
	{
		name: 'last poll before suspending',
		kind: 'resume',
		isBeforeSuspending: true,
		site: 'gateway/tasks/api.ts getTask',
		match: { method: 'GET', path: TASK },
		menu: 'task:await',
		prepared: 'running task',
		parameters: (id) => ({ taskId: id, waitBy: 'suspend', suspendHours: 24 }),
		done: ['status', /completed/],
	},
];

/** Rows about tasks, and all others: two halves of the same length. */
export const isOfTasks = ({ paid, name }: CallRow): boolean =>
	paid === 'task' || name.startsWith('task:');
