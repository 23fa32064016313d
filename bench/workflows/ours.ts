import type { IDataObject, INode } from 'n8n-workflow';
import type { NodeSpec } from '../../scripts/engine/builder';
import type { WorkflowJson } from '../../scripts/engine';
import { CREDENTIAL } from '../../scripts/host/n8nHost';
import { createFlow, located, type Address } from './flow';
import { httpRequest } from './http';

const GATEWAY = 'n8n-nodes-generation-gateway.generationGateway';
export const IMAGE_MODEL = 'gmn-2.5-flash-image-preview';
/** Something that n8n evaluates for each item. */
export const EXPRESSION = '={{ JSON.stringify({ prompt: $json.prompt, steps: 20 }) }}';

/** This package's node. */
const gateway = (parameters: IDataObject): NodeSpec => ({
	name: 'Generation Gateway',
	type: GATEWAY,
	credentials: { [CREDENTIAL.type]: { id: CREDENTIAL.id, name: CREDENTIAL.name } },
	parameters: parameters as INode['parameters'],
});

/** Submits a task, and does not wait for it. */
export const submission = (): NodeSpec =>
	gateway({
		resource: 'image',
		operation: 'generate',
		model: located(IMAGE_MODEL),
		prompt: '={{ $json.prompt }}',
		wait: 'none',
	});

/** With links only, as the contenders return them; files have a measure of their own. */
export const image = (options: IDataObject = {}): NodeSpec =>
	gateway({
		resource: 'image',
		operation: 'generate',
		model: located(IMAGE_MODEL),
		prompt: '={{ $json.prompt }}',
		wait: 'poll',
		options: { output: 'links', ...options },
	});

export const chat = (options: IDataObject = {}): NodeSpec =>
	gateway({
		resource: 'text',
		operation: 'chat',
		model: located('gp-4o-mini'),
		messages: { entry: [{ role: 'user', text: '={{ $json.prompt }}' }] },
		options,
	});

export const embedding = (): NodeSpec =>
	gateway({
		resource: 'embedding',
		operation: 'create',
		model: located('text-embedding-3-small'),
		input: '={{ $json.prompt }}',
	});

export const awaitById = (parameters: IDataObject = {}): NodeSpec =>
	gateway({ resource: 'task', operation: 'await', taskId: '={{ $json.task_id }}', ...parameters });

export const video = (options: IDataObject): NodeSpec =>
	gateway({
		resource: 'video',
		operation: 'generate',
		model: located('clipk-v2.6'),
		prompt: '={{ $json.prompt }}',
		wait: 'poll',
		options,
	});

/** Reads, checks and prices every item, and sends none; with one expression for each item, or with none. */
export const dryRun = (parameters = EXPRESSION): NodeSpec =>
	gateway({
		resource: 'task',
		operation: 'submit',
		model: located('flx-2-flex'),
		parameters,
		options: { dryRun: true },
	});

export const transcribe = (): NodeSpec => gateway({ resource: 'audio', operation: 'transcribe' });

/** Submits with the execution's own link as callback, suspends until it is called, and reports to the gateway that it resumed. */
export function createSuspendFlow(at: Address): WorkflowJson & { name: string } {
	const submit = { ...image({ callbackExecution: true }), name: 'Submit' };
	const workflow = createFlow(
		'suspended',
		'noData',
		{ ...submit, parameters: { ...submit.parameters, wait: 'none' } },
		awaitById({ waitBy: 'suspend' }),
		httpRequest('Report', at, 'GET', `=${at.url}/v1/models?done={{ $json.task_id }}`),
	);
	Object.assign(workflow.nodes[0]!.parameters, { responseMode: 'onReceived' });
	return workflow;
}
