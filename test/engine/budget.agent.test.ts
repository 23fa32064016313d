import { Budget } from '../../nodes/GenerationGateway/account/budget';
import { asTool, itemsNode, linear, runWorkflow, type NodeSpec } from '../../scripts/engine';
import { TOOL_CALLER_TYPE } from '../../scripts/engine/harnessNodes';
import { gatewayNode, modelId, useGateway } from '../support/gateway';

const fixture = useGateway();
const IMAGE_USD = 0.0425;

it('an agent that calls the node again in one execution spends from the same limit', async () => {
	const node = gatewayNode('image:generate', {
		model: modelId('imgn-4.0'),
		prompt: 'a kite',
		options: { maximumRunCost: IMAGE_USD, ifAlreadyMade: 'make' },
	});
	const tool: NodeSpec = { ...asTool(node), name: 'Tool' };
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
	expect(calls[1]?.error?.message).toContain('Cost Limit per Execution is $0.0425');
});

it('calls that an agent makes in the same moment count together', () => {
	const stored = {};
	const limits = { perExecution: IMAGE_USD, sendsUnpriced: false, noun: 'task' as const };
	const estimate = { quota: 21_250, usd: IMAGE_USD };
	const reserve = (key: string) =>
		Budget.of(stored).reserve(estimate as never, limits, { keys: [key] });

	expect(reserve('call 1')).toMatchObject({ charge: { quota: 21_250 }, limits });
	expect(() => reserve('call 2')).toThrow('Cost Limit per Execution');
});

describe('a call that an agent repeats because its own node is tried again', () => {
	const callTwice = async (options: object) => {
		const parameters = { model: modelId('imgn-4.0'), prompt: 'a kite', options: options as never };
		const node = gatewayNode('image:generate', parameters);
		const tool: NodeSpec = { ...asTool(node), name: 'Tool' };
		const caller = { type: TOOL_CALLER_TYPE, parameters: { tool: 'Tool', arguments: {} } };
		return await runWorkflow(
			linear(
				itemsNode([{}]),
				{ ...caller, name: 'First', subNodes: { ai_tool: [tool] } },
				{ ...caller, name: 'Again' },
			),
			fixture.options(),
		);
	};

	it('gets the task of the first call', async () => {
		const run = await callTwice({});

		expect(fixture.sandbox.tasks()).toHaveLength(1);
		expect(run.run.data.resultData.metadata).toMatchObject({ gateway_cost_usd: '0.0425' });
	});

	it('makes a new one where the user wants that', async () => {
		await callTwice({ ifAlreadyMade: 'make' });

		expect(fixture.sandbox.tasks()).toHaveLength(2);
	});
});
