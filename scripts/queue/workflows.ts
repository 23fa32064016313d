import { linear, type NodeSpec, type WorkflowJson } from '../engine';

const createGenerate = (prompt: string, key?: string): NodeSpec => ({
	name: 'Generate',
	type: 'n8n-nodes-generation-gateway.generationGateway',
	credentials: 'generationGatewayApi',
	parameters: {
		resource: 'image',
		operation: 'generate',
		prompt,
		options: { ...(key && { idempotencyKey: key }), concurrency: 50, output: 'links' },
	},
});
const split: NodeSpec = {
	name: 'Split',
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut: 'rows', options: {} },
};
const nameWorkflow = (id: string, workflow: WorkflowJson) => ({
	...workflow,
	id,
	name: id,
	settings: { executionOrder: 'v1' as const },
});

/** Every second, or as often as said: takes rows of the table, generates a picture for each under the row's key, and notes each as done. */
export const createScheduledWorkflow = (
	table: string,
	everySeconds = 1,
): WorkflowJson & { id: string } =>
	nameWorkflow(
		'scheduled',
		linear(
			{
				name: 'Schedule',
				type: 'n8n-nodes-base.scheduleTrigger',
				typeVersion: 1.2,
				parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: everySeconds }] } },
			},
			{
				name: 'Take Rows',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				parameters: { url: `${table}/next`, options: {} },
			},
			split,
			createGenerate('={{ $json.name }}', '={{ $json.name }}'),
			{
				name: 'Note as Done',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				parameters: {
					method: 'POST',
					url: `${table}/done`,
					sendBody: true,
					specifyBody: 'json',
					options: {},
					jsonBody:
						"={{ JSON.stringify({ name: $('Split').item.json.name, task_id: $json.task_id }) }}",
				},
			},
		),
	);

/** Called with a batch and a number: generates as many pictures, under the node's own keys, and waits for all of them. */
export const batch: WorkflowJson & { id: string } = nameWorkflow(
	'batch',
	linear(
		{
			name: 'Batch',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: 'batch',
			parameters: { httpMethod: 'POST', path: 'batch', options: {} },
		},
		{
			name: 'Rows',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: {
				mode: 'raw',
				options: {},
				jsonOutput:
					"={{ JSON.stringify({ rows: Array.from({ length: $json.body.rows }, (_, row) => ({ name: $json.body.batch + '-' + row })) }) }}",
			},
		},
		split,
		createGenerate('={{ $json.name }}'),
	),
);
