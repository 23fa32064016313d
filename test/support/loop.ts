import type { IDataObject } from 'n8n-workflow';
import {
	itemsNode,
	linear,
	runWorkflow,
	type EngineOptions,
	type EngineRun,
	type NodeSpec,
	type WorkflowJson,
} from '../../scripts/engine';
import { gatewayNode, NODE } from './gateway';

/** An image in Loop Over Items, with On Error: Continue. */
export const loopOf = (parameters: IDataObject, rows: IDataObject[]): WorkflowJson =>
	inLoop(gatewayNode('image:generate', parameters, { onError: 'continueRegularOutput' }), rows);

/** The node in Loop Over Items: one run for each item, all in one execution. */
export function inLoop(gateway: NodeSpec, rows: IDataObject[]): WorkflowJson {
	const items = itemsNode(rows);
	const at = { position: [0, 0] as [number, number], typeVersion: 1, parameters: {} };
	const loop = { ...at, id: 'loop', name: 'Loop', type: 'n8n-nodes-base.splitInBatches' };
	const nodes = [
		{ ...at, ...items, id: 'items', name: 'Items' },
		{ ...loop, typeVersion: 3, parameters: { batchSize: 1 } },
		{
			...at,
			...gateway,
			id: 'gateway',
			name: NODE,
			credentials: { generationGatewayApi: { id: '1', name: 'x' } },
		},
	];
	const main = (node: string) => [{ node, type: 'main' as const, index: 0 }];
	const connections = {
		Items: { main: [main('Loop')] },
		Loop: { main: [[], main(NODE)] },
		[NODE]: { main: [main('Loop')] },
	};
	return { nodes: nodes as never, connections };
}

/** The node behind both outputs of an If node, which is true for the first row only. */
export function behindIf(gateway: NodeSpec, [first, ...others]: string[]): WorkflowJson {
	const condition = {
		id: 'first',
		leftValue: '={{ $json.prompt }}',
		rightValue: first,
		operator: { type: 'string', operation: 'equals' },
	};
	const options = { caseSensitive: true, typeValidation: 'loose', version: 2 };
	const json = linear(
		itemsNode([first, ...others].map((prompt) => ({ prompt }))),
		{
			type: 'n8n-nodes-base.if',
			name: 'If',
			typeVersion: 2.2,
			parameters: { conditions: { options, combinator: 'and', conditions: [condition] } },
		} as NodeSpec,
		gateway,
	);
	const [wire] = json.connections.If!.main![0]!;
	return { ...json, connections: { ...json.connections, If: { main: [[wire!], [wire!]] } } };
}

export async function runInLoop(
	parameters: IDataObject,
	count: number,
	options: EngineOptions,
): Promise<EngineRun> {
	const rows = Array.from({ length: count }, (_, row) => ({ row }));
	return await runWorkflow(loopOf(parameters, rows), options);
}
