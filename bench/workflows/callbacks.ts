import type { WorkflowJson } from '../../scripts/engine';
import { linear, type NodeSpec } from '../../scripts/engine/builder';
import { CREDENTIAL } from '../../scripts/host/n8nHost';

type Flow = WorkflowJson & { name: string };

/** A workflow that each callback starts; its next node posts the task to the collector. */
function started(name: string, trigger: NodeSpec, taskId: string, collectorUrl: string): Flow {
	const collect: NodeSpec = {
		name: 'Collect',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			method: 'POST',
			url: collectorUrl,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `={{ JSON.stringify({ task_id: ${taskId} }) }}`,
			options: {},
		},
	};
	const settings = { executionOrder: 'v1' as const };
	return { ...linear({ ...trigger, webhookId: name }, collect), name, settings };
}

export const byTrigger = (name: string, collectorUrl: string): Flow =>
	started(
		name,
		{
			name: 'Trigger',
			type: 'n8n-nodes-generation-gateway.generationGatewayTrigger',
			typeVersion: 2,
			credentials: { [CREDENTIAL.type]: { id: CREDENTIAL.id, name: CREDENTIAL.name } },
		},
		'$json.task_id',
		collectorUrl,
	);

/** n8n's own Webhook node, which believes whoever calls. */
export const byWebhook = (name: string, collectorUrl: string): Flow =>
	started(
		name,
		{
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			parameters: { httpMethod: 'POST', path: name, options: {} },
		},
		'$json.body.task_id',
		collectorUrl,
	);
