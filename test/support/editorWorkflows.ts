import type { WorkflowJson } from '../../scripts/engine';
import { CREDENTIAL } from '../../scripts/host/n8nHost';
import evaluation from '../../examples/evaluation.json';
import longVideos from '../../examples/long-videos-in-one-node.json';
import modelTool from '../../examples/model-tool.json';
import flagship from '../../examples/prompt-table-to-files.json';
import type { HostWorkflow } from './useHost';

export const FLAGSHIP = 'prompt-table-to-files';
const GATEWAY = 'n8n-nodes-generation-gateway.generationGateway';

const credentials = { [CREDENTIAL.type]: { id: CREDENTIAL.id, name: CREDENTIAL.name } };

const located = (value: string) => ({ __rl: true, mode: 'list', value, cachedResultName: value });

/** A trigger and one node of ours, with parameters as the editor would have stored them. */
function withNode(id: string, parameters: Record<string, unknown>): HostWorkflow {
	return {
		id,
		name: id,
		nodes: [
			{
				id: '1',
				name: 'Start',
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
			{
				id: '2',
				name: 'Generate',
				type: GATEWAY,
				typeVersion: 1,
				position: [220, 0],
				parameters: parameters as never,
				credentials,
			},
		],
		connections: { Start: { main: [[{ node: 'Generate', type: 'main', index: 0 }]] } },
		settings: {},
	};
}

/** A node as it was just dropped, where there is no credential yet. */
function withoutCredential(id: string): HostWorkflow {
	const workflow = withNode(id, { resource: 'image', operation: 'generate', prompt: 'a kite' });
	return {
		...workflow,
		nodes: workflow.nodes.map((node) => ({ ...node, credentials: undefined })),
	};
}

/** A hundred rows that are pictures, then one page with all of them. */
function withGallery(id: string): HostWorkflow {
	const workflow = withNode(id, {
		resource: 'image',
		operation: 'generate',
		model: located('imgn-4.0'),
		prompt: '={{ $json.prompt }}',
		options: { includeInput: true },
	});
	const [start, generate] = workflow.nodes;
	const page = {
		...generate!,
		id: '3',
		name: 'Page',
		position: [440, 0] as [number, number],
		parameters: { resource: 'task', operation: 'contactSheet', title: 'Kites' },
	};
	const rows = Array.from({ length: 100 }, (_, row) => ({ json: { prompt: `kite ${row}` } }));
	return {
		...workflow,
		nodes: [start!, generate!, page],
		connections: {
			...workflow.connections,
			Generate: { main: [[{ node: 'Page', type: 'main', index: 0 }]] },
		},
		pinData: { Start: rows },
	} as never;
}

/** A picture, and a node that takes up what it gives; neither has run. */
function withMapping(id: string): HostWorkflow {
	const workflow = withNode(id, { resource: 'image', operation: 'generate', prompt: 'a kite' });
	const mapping = {
		id: '3',
		name: 'Mapping',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		position: [440, 0] as [number, number],
		parameters: {},
	};
	return {
		...workflow,
		nodes: [...workflow.nodes, mapping],
		connections: {
			...workflow.connections,
			Generate: { main: [[{ node: 'Mapping', type: 'main', index: 0 }]] },
		},
	};
}

/** One of our other nodes alone. `kind`: the end of its type. */
const alone = (id: string, kind: string, parameters: object, more: object = {}): HostWorkflow => ({
	id,
	name: id,
	nodes: [
		{
			id: '1',
			name: 'Generate',
			type: GATEWAY + kind,
			typeVersion: 1,
			position: [0, 0],
			parameters: parameters as never,
			credentials,
			...more,
		},
	],
	connections: {},
	settings: {},
});

/** Examples whose canvas is a picture of the docs. The Chat Model and data tables need n8n 2.x. */
export const PICTURED = Object.entries({
	evaluation,
	'long-videos-in-one-node': longVideos,
	'model-tool': modelTool,
}).map(([name, json]) => ({
	...(json as unknown as WorkflowJson & { name: string }),
	id: `example-${name}`,
}));

/** What the test of the editor opens. */
export const editorWorkflows = [
	withNode('imagePanel', {
		resource: 'image',
		operation: 'generate',
		model: located('flx-2-flex'),
		prompt: 'a kite',
		options: { download: 'data' },
	}),
	// n8n saves what is changed.
	withNode('changedPanel', {
		resource: 'image',
		operation: 'generate',
		model: located('flx-2-flex'),
		prompt: 'a kite',
		options: { maximumCost: 1 },
	}),
	withNode('changedText', {
		resource: 'text',
		operation: 'chat',
		messages: { entry: [{ role: 'user', text: 'Name a kite' }] },
		options: { maximumCost: 1 },
	}),
	withNode('videoPanel', {
		resource: 'video',
		operation: 'generate',
		model: located('clipk-v3-omni'),
		action: 'reference_video',
		prompt: 'a kite',
	}),
	withNode('wrongValue', {
		resource: 'video',
		operation: 'generate',
		model: located('clipk-v2.6'),
		prompt: 'a kite',
		resolution: '4K',
		duration: 7,
	}),
	withoutCredential('fresh'),
	withoutCredential('noCredential'),
	alone('trigger', 'Trigger', { secret: 'kite-7f3a' }, { webhookId: 'ended' }),
	withMapping('mapping'),
	withGallery('gallery'),
	alone('modelTool', 'ModelTool', {
		model: located('clipk-v3'),
		fixedFields: '{ "resolution": "1080p", "duration": 5 }',
		options: { maximumRunCost: 2 },
	}),
	{ ...(flagship as unknown as WorkflowJson & { name: string }), id: FLAGSHIP },
	...PICTURED,
];
