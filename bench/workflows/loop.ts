import type { IDataObject } from 'n8n-workflow';
import type { WorkflowJson } from '../../scripts/engine';
import type { NodeSpec } from '../../scripts/engine/builder';
import { createFlow, type Address } from './flow';
import { httpRequest, TASK } from './http';

/** n8n's own default for the node Wait. */
export const WAIT_SECONDS = 5;

const isCompleted: IDataObject = {
	options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
	conditions: [
		{
			id: 'done',
			leftValue: '={{ $json.status }}',
			rightValue: 'completed',
			operator: { type: 'string', operation: 'equals' },
		},
	],
	combinator: 'and',
};

const loopNodes = (at: Address, waitSeconds: number): NodeSpec[] => [
	httpRequest('Submit', at, 'POST', `${at.url}/v1/tasks`, TASK),
	{
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		webhookId: 'wait',
		parameters: { amount: waitSeconds, unit: 'seconds' },
	},
	httpRequest('Status', at, 'GET', `=${at.url}/v1/tasks/{{ $json.task_id }}`),
	{
		name: 'If',
		type: 'n8n-nodes-base.if',
		typeVersion: 2.2,
		parameters: { conditions: isCompleted as never, options: {} },
	},
];

const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];

/** Submit, Wait, Status, If and back to Wait, with all rows at once. */
export function loopTogether(
	at: Address,
	name = 'loopTogether',
	waitSeconds = WAIT_SECONDS,
): WorkflowJson & { name: string } {
	const workflow = createFlow(name, 'allEntries', ...loopNodes(at, waitSeconds), {
		name: 'Done',
		type: 'n8n-nodes-base.noOp',
	});
	workflow.connections.If = { main: [to('Done'), to('Wait')] };
	return workflow;
}

/** The same for one row at a time, in Loop Over Items. */
export function loopOneByOne(at: Address): WorkflowJson & { name: string } {
	const over: NodeSpec = {
		name: 'Loop Over Items',
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { options: {} },
	};
	const workflow = createFlow('loopOneByOne', 'allEntries', over, ...loopNodes(at, WAIT_SECONDS), {
		name: 'Done',
		type: 'n8n-nodes-base.noOp',
	});
	workflow.connections['Loop Over Items'] = { main: [to('Done'), to('Submit')] };
	workflow.connections.If = { main: [to('Loop Over Items'), to('Wait')] };
	return workflow;
}
