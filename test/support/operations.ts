import type { INode, IDataObject } from 'n8n-workflow';
import { resources } from '../../nodes/GenerationGateway/actions';
import type { WorkflowJson } from '../../scripts/engine';

const GATEWAY = 'n8n-nodes-generation-gateway.generationGateway';
const located = (value: string) => ({ __rl: true, mode: 'id', value });
const toMessages = (text: string) => ({ messages: { entry: [{ role: 'user', text }] } });

/** One node for each operation that needs no other before it. */
export const SINGLE: Record<string, IDataObject> = {
	'image generate': {
		resource: 'image',
		operation: 'generate',
		prompt: 'a red kite',
		aspect_ratio: '',
		options: { download: 'data' },
	},
	'video generate': {
		resource: 'video',
		operation: 'generate',
		model: located('clipk-v2.6'),
		prompt: 'boats at anchor',
		duration: 10,
		resolution: '1080p',
		additionalFields: { audio: true },
	},
	'task submit': {
		resource: 'task',
		operation: 'submit',
		model: located('flx-2-flex'),
		parameters: '{ "prompt": "a poster", "steps": 20, "guidance": 3.5 }',
	},
	'asset create': {
		resource: 'asset',
		operation: 'create',
		url: 'https://example.com/portrait.png',
		wait: 'none',
	},
	'text chat': {
		resource: 'text',
		operation: 'chat',
		...toMessages('hello'),
		options: { maximumRunCost: 1, max_tokens: 100 },
	},
	'text respond': {
		resource: 'text',
		operation: 'respond',
		...toMessages('hello'),
		options: { stream: true },
	},
	'text message': { resource: 'text', operation: 'message', ...toMessages('hello') },
	'text generate': { resource: 'text', operation: 'generateContent', ...toMessages('hello') },
	'embedding create': { resource: 'embedding', operation: 'create', input: 'hello' },
	'model changes': { resource: 'model', operation: 'compare' },
	'model many': { resource: 'model', operation: 'getAll', returnAll: false, limit: 3 },
};

/** Operations that take up where another ended: by the ID it gave. */
const FOLLOWING: Record<string, { after: string; parameters: IDataObject }> = {
	'task await': {
		after: 'task submit',
		parameters: { resource: 'task', operation: 'await', taskId: '={{ $json.task_id }}' },
	},
	'task get': {
		after: 'task await',
		parameters: { resource: 'task', operation: 'get', taskId: '={{ $json.task_id }}' },
	},
	'task cancel': {
		after: 'task get',
		parameters: { resource: 'task', operation: 'cancel', taskId: '={{ $json.task_id }}' },
	},
	'task contact sheet': {
		after: 'image generate',
		parameters: { resource: 'task', operation: 'contactSheet', title: 'Every operation' },
	},
	'asset many': { after: 'asset create', parameters: { resource: 'asset', operation: 'getAll' } },
	'asset get': {
		after: 'asset many',
		parameters: { resource: 'asset', operation: 'get', assetId: located('={{ $json.id }}') },
	},
	'asset delete': {
		after: 'asset get',
		parameters: { resource: 'asset', operation: 'delete', assetId: located('={{ $json.id }}') },
	},
	'video from a file': {
		after: 'speech',
		parameters: {
			resource: 'video',
			operation: 'generate',
			model: located('sdn-2.0'),
			prompt: 'boats at anchor',
			additionalFields: { audio_urls: ['data'] },
		},
	},
	'audio transcribe': {
		after: 'speech',
		parameters: { resource: 'audio', operation: 'transcribe' },
	},
	'audio translate': { after: 'speech', parameters: { resource: 'audio', operation: 'translate' } },
};

function node(name: string, type: string, typeVersion: number, parameters: IDataObject): INode {
	const isOurs = type === GATEWAY;
	return {
		id: name.replace(/\W+/g, '-').toLowerCase(),
		name,
		type,
		typeVersion,
		position: [0, 0],
		parameters: parameters as INode['parameters'],
		...(isOurs && { credentials: { generationGatewayApi: { id: '', name: '' } } }),
	};
}

/** A workflow with a branch for every operation of the node. */
export function everyOperation(): WorkflowJson & { id: string } {
	const start = node('Start', 'n8n-nodes-base.manualTrigger', 1, {});
	const text = node('words', 'n8n-nodes-base.set', 3.4, {
		mode: 'raw',
		jsonOutput: '{ "words": "not really speech" }',
		options: {},
	});
	const audioNode = node('speech', 'n8n-nodes-base.convertToFile', 1.1, {
		operation: 'toText',
		sourceProperty: 'words',
		options: { fileName: 'talk.mp3' },
	});
	const singles = Object.entries(SINGLE).map(([name, parameters]) =>
		node(name, GATEWAY, 1, parameters),
	);
	const followers = Object.entries(FOLLOWING).map(([name, { parameters }]) =>
		node(name, GATEWAY, 1, parameters),
	);
	const to = (names: string[]) => ({
		main: [names.map((name) => ({ node: name, type: 'main' as const, index: 0 }))],
	});
	const after = (name: string) =>
		Object.entries(FOLLOWING)
			.filter((item) => item[1].after === name)
			.map(([follower]) => follower);
	const links = ['speech', ...Object.keys(SINGLE), ...Object.keys(FOLLOWING)].map(
		(name) => [name, to(after(name))] as const,
	);
	return {
		id: 'everyOperation',
		name: 'Every operation',
		nodes: [start, text, audioNode, ...singles, ...followers],
		connections: {
			Start: to(['words', ...Object.keys(SINGLE)]),
			words: to(['speech']),
			...Object.fromEntries(links),
		},
		settings: { executionOrder: 'v1' },
	};
}

/** Whether a node of the workflow is ours. */
export const isGatewayNode = ({ type }: Pick<INode, 'type'>): boolean => type === GATEWAY;

export const OPERATIONS = [...Object.keys(SINGLE), ...Object.keys(FOLLOWING)];

/** Says which entries of the menu (`resource:operation`) no branch of the workflow runs. */
export function operationsLeftOut(): string[] {
	const covered = new Set(
		everyOperation().nodes.map(
			({ parameters }) => `${String(parameters.resource)}:${String(parameters.operation)}`,
		),
	);
	return Object.entries(resources)
		.flatMap(([value, operations]) => Object.keys(operations).map((name) => `${value}:${name}`))
		.filter((entry) => !covered.has(entry))
		.map((entry) => `${entry} has no node in test/support/operations.ts`);
}
