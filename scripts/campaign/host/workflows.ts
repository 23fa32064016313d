import type { IDataObject } from 'n8n-workflow';
import { linear, type NodeSpec, type WorkflowJson } from '../../engine';
import { typeOf } from '../../package';

export type HostWorkflow = WorkflowJson & { id: string; name: string };

/** Where the items of a workflow come from, as the collector notes it. */
export type Source = 'home' | 'woken' | 'sent' | 'trigger' | 'fetched';

/** An item that left a workflow. */
export interface Arrival {
	from: Source;
	execution: string;
	item: Record<string, unknown>;
}

/** Seconds after which a parked execution goes on without its callbacks; n8n looks for such once a minute. */
export const PARKED_SECONDS = 20;

export interface Addresses {
	collector: string;
	/** The production URL of the trigger. */
	trigger: string;
	secret: string;
	webhookId: string;
}

const GO_ON: Partial<NodeSpec> = { onError: 'continueRegularOutput' };
const KNOWN_TASK = '={{ $json.task_id ?? $json.details?.task_id ?? "" }}';

const node = (operation: string, name: string, parameters: IDataObject): NodeSpec => ({
	type: typeOf('generationGateway'),
	name,
	credentials: 'generationGatewayApi',
	parameters: { resource: 'task', operation, ...parameters } as NodeSpec['parameters'],
	...GO_ON,
});

const webhook = (path: string): NodeSpec => ({
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

const look = node('await', 'Looked', { taskId: KNOWN_TASK, options: { pollInterval: 1 } });
const submit = (options: IDataObject): NodeSpec =>
	node('submit', 'Submit', {
		model: { __rl: true, mode: 'id', value: '={{ $json.model }}' },
		parameters: '={{ $json.body }}',
		options: { idempotencyKey: '={{ $json.name }}', ...options },
	});

function collect({ collector }: Addresses, from: Source): NodeSpec {
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

const named = (id: string, json: WorkflowJson): HostWorkflow => ({
	...json,
	id,
	name: id,
	settings: { executionOrder: 'v1' },
});

/** Submits, parks until the gateway has called back for all, looks at what is left, and hands over. */
function parking(addresses: Addresses): HostWorkflow {
	const json = linear(
		webhook('campaign-park'),
		rows,
		submit({ callbackExecution: true }),
		node('await', 'Parked', {
			taskId: KNOWN_TASK,
			waitBy: 'suspend',
			suspendHours: PARKED_SECONDS / 3600,
		}),
		look,
		collect(addresses, 'home'),
	);
	const woken = linear(collect(addresses, 'woken')).nodes.map((extra) => ({
		...extra,
		id: 'woken',
	}));
	json.connections.Parked!.main![0]!.push({ node: 'Collect woken', type: 'main', index: 0 });
	return named('campaignPark', { ...json, nodes: [...json.nodes, ...woken] });
}

/** The four workflows of the campaign: park, send with the trigger as callback, what the trigger starts, and fetch by ID. */
export function workflowsFor(addresses: Addresses): HostWorkflow[] {
	const trigger: NodeSpec = {
		type: typeOf('generationGatewayTrigger'),
		name: 'Arrived',
		webhookId: addresses.webhookId,
		credentials: 'generationGatewayApi',
		parameters: { secret: addresses.secret },
	};
	return [
		parking(addresses),
		named(
			'campaignSend',
			linear(
				webhook('campaign-send'),
				rows,
				submit({ callback_url: addresses.trigger }),
				collect(addresses, 'sent'),
			),
		),
		named('campaignArrive', linear(trigger, collect(addresses, 'trigger'))),
		named(
			'campaignFetch',
			linear(webhook('campaign-fetch'), rows, look, collect(addresses, 'fetched')),
		),
	];
}
