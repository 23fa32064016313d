import { itemsNode, linear, runWorkflow, type NodeSpec } from '../../scripts/engine';
import { gatewayNode, modelId, useGateway } from '../support/gateway';

const fixture = useGateway();
const ROWS = [
	{ row: 'good', model: 'imgn-4.0' },
	{ row: 'bad', model: '' },
];

const ifCode = (leftValue: string): NodeSpec => ({
	type: 'n8n-nodes-base.if',
	name: 'If',
	typeVersion: 2.2,
	parameters: {
		conditions: {
			options: { caseSensitive: true, typeValidation: 'strict', version: 2 },
			combinator: 'and',
			conditions: [
				{
					id: '1',
					leftValue,
					rightValue: '',
					operator: { type: 'boolean', operation: 'true', singleValue: true },
				},
			],
		},
		options: {},
	},
});

const node = (onError: NodeSpec['onError']) =>
	gatewayNode(
		'image:generate',
		{ model: modelId('={{ $json.model }}'), prompt: 'a kite' },
		{ onError },
	);

describe('a workflow that branches on the code of an error', () => {
	it('finds it on the error output, beside the fields of the row', async () => {
		const workflow = linear(
			itemsNode(ROWS),
			node('continueErrorOutput'),
			ifCode("={{ $json.details.code === 'invalid_input' }}"),
		);
		const { main } = workflow.connections.Gateway!;
		workflow.connections.Gateway = { main: [[], ...main!] };
		const run = await runWorkflow(workflow, fixture.options());

		expect(run.error).toBeUndefined();
		expect(run.json('If')).toEqual([
			expect.objectContaining({
				row: 'bad',
				error: expect.any(String),
				message: expect.any(String),
				details: expect.objectContaining({ code: 'invalid_input', retry: false, billed: 0 }),
			}),
		]);
	});

	it('finds it among the good items where there is no error output', async () => {
		const workflow = linear(
			itemsNode(ROWS),
			node('continueRegularOutput'),
			ifCode("={{ $json.details?.code === 'invalid_input' }}"),
		);
		const run = await runWorkflow(workflow, fixture.options());

		expect(run.error).toBeUndefined();
		expect(run.json('If')).toEqual([
			expect.objectContaining({ details: expect.objectContaining({ code: 'invalid_input' }) }),
		]);
	});
});
