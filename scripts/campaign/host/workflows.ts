import type { IDataObject } from 'n8n-workflow';
import { linear, type NodeSpec, type WorkflowJson } from '../../engine';
import { typeOf } from '../../package';

export type HostWorkflow = WorkflowJson & { id: string; name: string };

/** Where the items of a workflow come from, as the collector notes it. */
export type Source = 'awaited' | 'resumed' | 'sent' | 'trigger' | 'fetched';

/** An item that left a workflow. */
export interface Arrival {
	from: Source;
	execution: string;
	item: Record<string, unknown>;
}

/** Seconds after which a suspended execution resumes without its callbacks; n8n checks once a minute. */
export const SUSPEND_SECONDS = 20;

export interface Addresses {
	collector: string;
	/** The production URL of the trigger. */
	trigger: string;
	secret: string;
	webhookId: string;
}

const CONTINUE_ON_ERROR: Partial<NodeSpec> = { onError: 'continueRegularOutput' };
const KNOWN_TASK = '={{ $json.task_id ?? $json.details?.task_id ?? "" }}';

const createNode = (operation: string, name: string, parameters: IDataObject): NodeSpec => ({
	type: typeOf('generationGateway'),
	name,
	credentials: 'generationGatewayApi',
	parameters: { resource: 'task', operation, ...parameters } as NodeSpec['parameters'],
	...CONTINUE_ON_ERROR,
});

const createWebhook = (path: string): NodeSpec => ({
	name: 'Call',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	webhookId: path,
	parameters: { httpMethod: 'POST', path, options: {} },
});
const rows: NodeSpec = {
	name: 'Rows',
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut: 'body.rows', options: {} },
};

const awaitNode = createNode('await', 'Await by ID', {
	taskId: KNOWN_TASK,
	options: { pollInterval: 1 },
});
const createSubmit = (options: IDataObject): NodeSpec =>
	createNode('submit', 'Submit', {
		model: { __rl: true, mode: 'id', value: '={{ $json.model }}' },
		parameters: '={{ $json.body }}',
		options: { idempotencyKey: '={{ $json.name }}', ...options },
	});

function createCollect({ collector }: Addresses, from: Source): NodeSpec {
	const jsonBody = `={{ JSON.stringify({ from: "${from}", execution: $execution.id, item: $json }) }}`;
	return {
		name: `Collect ${from}`,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			method: 'POST',
			url: collector,
			sendBody: true,
			specifyBody: 'json',
			jsonBody,
			options: {},
		},
	};
}

const nameWorkflow = (id: string, json: WorkflowJson): HostWorkflow => ({
	...json,
	id,
	name: id,
	settings: { executionOrder: 'v1' },
});

/** Submits, suspends until all callbacks have arrived, awaits the remaining tasks, and posts the items. */
function createSuspendWorkflow(addresses: Addresses): HostWorkflow {
	const json = linear(
		createWebhook('campaign-suspend'),
		rows,
		createSubmit({ callbackExecution: true }),
		createNode('await', 'Suspended', {
			taskId: KNOWN_TASK,
			waitBy: 'suspend',
			suspendHours: SUSPEND_SECONDS / 3600,
		}),
		awaitNode,
		createCollect(addresses, 'awaited'),
	);
	const resumed = linear(createCollect(addresses, 'resumed')).nodes.map((extra) => ({
		...extra,
		id: 'resumed',
	}));
	json.connections.Suspended!.main![0]!.push({ node: 'Collect resumed', type: 'main', index: 0 });
	return nameWorkflow('campaignSuspend', { ...json, nodes: [...json.nodes, ...resumed] });
}

/** The four workflows of the campaign: suspend, send with the trigger as callback, what the trigger starts, and fetch by ID. */
export function createWorkflows(addresses: Addresses): HostWorkflow[] {
	const trigger: NodeSpec = {
		type: typeOf('generationGatewayTrigger'),
		name: 'Arrived',
		webhookId: addresses.webhookId,
		credentials: 'generationGatewayApi',
		parameters: { secret: addresses.secret },
	};
	return [
		createSuspendWorkflow(addresses),
		nameWorkflow(
			'campaignSend',
			linear(
				createWebhook('campaign-send'),
				rows,
				createSubmit({ callback_url: addresses.trigger }),
				createCollect(addresses, 'sent'),
			),
		),
		nameWorkflow('campaignArrive', linear(trigger, createCollect(addresses, 'trigger'))),
		nameWorkflow(
			'campaignFetch',
			linear(createWebhook('campaign-fetch'), rows, awaitNode, createCollect(addresses, 'fetched')),
		),
	];
}
