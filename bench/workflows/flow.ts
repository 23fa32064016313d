import type { WorkflowJson } from '../../scripts/engine';
import { linear, type NodeSpec } from '../../scripts/engine/builder';

/** A model as the editor stores it when its ID is typed. */
export const located = (value: string) => ({ __rl: true, mode: 'id', value });

/** Of the sandbox. */
export interface Address {
	url: string;
	key: string;
}

/** A webhook that takes rows and answers when the workflow has ended; nothing is written to n8n's database. */
export function createFlow(
	name: string,
	answer: 'allEntries' | 'noData',
	...nodes: NodeSpec[]
): WorkflowJson & { name: string } {
	const workflow = linear(
		{
			name: 'Rows',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: name,
			parameters: {
				httpMethod: 'POST',
				path: name,
				responseMode: 'lastNode',
				responseData: answer,
				options: {},
			},
		},
		{
			name: 'Split',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.rows', options: {} },
		},
		...nodes,
	);
	return {
		...workflow,
		name,
		settings: {
			executionOrder: 'v1',
			saveDataSuccessExecution: 'none',
			saveManualExecutions: false,
		},
	};
}
