import type { WorkflowJson } from '../../scripts/engine';
import type { NodeSpec } from '../../scripts/engine/builder';
import { createFlow, type Address } from './flow';
import { httpRequest } from './http';
import { awaitById, image } from './ours';

type Flow = WorkflowJson & { name: string };

/** Answers its caller at once and goes on by itself. */
function answerAtOnce(workflow: Flow): Flow {
	Object.assign(workflow.nodes[0]!.parameters, { responseMode: 'onReceived' });
	return workflow;
}

/** Submits a task for each row with the execution's own link as callback, and suspends until all have ended. */
export function suspendForAll(name: string): Flow {
	const submit = { ...image({ callbackExecution: true }), name: 'Submit' };
	return answerAtOnce(
		createFlow(
			name,
			'noData',
			{ ...submit, parameters: { ...submit.parameters, wait: 'none' } },
			awaitById({ waitBy: 'suspend' }),
		),
	);
}

/** The same with another node that suspends; it tells the gateway the link on which the execution is called. */
function suspendAndTell(name: string, { url, key }: Address, node: NodeSpec): Flow {
	const query = 'resume={{ encodeURIComponent($execution.resumeUrl) }}';
	const tell = httpRequest('Tell', { url, key }, 'GET', `=${url}/v1/models?${query}`);
	return answerAtOnce(createFlow(name, 'noData', { ...tell, executeOnce: true }, node));
}

/** n8n's own node Wait, which goes on at the first call. */
export const waitForOneCall = (name: string, address: Address): Flow =>
	suspendAndTell(name, address, {
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		webhookId: name,
		parameters: { resume: 'webhook', httpMethod: 'POST', options: {} },
	});

/** Answers each call and does nothing else; made for this contest. */
export const answerOnly = (name: string, address: Address): Flow =>
	suspendAndTell(name, address, { name: 'Suspend', type: 'CUSTOM.suspend', typeVersion: 2 });
