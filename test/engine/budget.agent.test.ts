import { itemsNode, linear, runWorkflow, type NodeSpec } from '../../scripts/engine';
import { TOOL_CALLER_TYPE } from '../../scripts/engine/harnessNodes';
import { gatewayNode, modelId, useGateway } from '../support/gateway';

const fixture = useGateway();
const IMAGE_USD = 0.0425;

it('an agent that calls the node again in one execution spends from the same limit', async () => {
	const node = gatewayNode('image:generate', {
		model: modelId('imgn-4.0'),
		prompt: 'a kite',
		options: { maximumRunCost: IMAGE_USD },
	});
	const tool: NodeSpec = { ...node, type: `${node.type}Tool`, name: 'Tool' };
	const caller: NodeSpec = {
		type: TOOL_CALLER_TYPE,
		onError: 'continueRegularOutput',
		parameters: { tool: 'Tool', arguments: {} },
	};
	const run = await runWorkflow(
		linear(
			itemsNode([{}]),
			{ ...caller, name: 'First', subNodes: { ai_tool: [tool] } },
			{ ...caller, name: 'Second' },
		),
		fixture.options(),
	);

	const calls = run.run.data.resultData.runData.Tool ?? [];
	expect(calls).toHaveLength(2);
	expect(fixture.posts()).toHaveLength(1);
	expect(calls[1]?.error?.message).toContain('Max Cost per Execution is $0.0425');
});
