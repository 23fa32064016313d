import { getModelSpec } from '../../nodes/catalog/modelSpec';
import { itemsNode, linear, runWorkflow, type NodeSpec } from '../../scripts/engine';
import { TOOL_CALLER_TYPE } from '../../scripts/engine/harnessNodes';
import { typeOf } from '../../scripts/package';
import { gatewayNode, modelId, useGateway } from '../support/gateway';

const gateway = useGateway();
const TOOL = 'Draw Cover';

/** The gateway has renamed a field since the workflow was saved. The sandbox has not, so it refuses the request. */
beforeEach(() => {
	const spec = getModelSpec('imgn-4.0');
	const { aspect_ratio, ...others } = spec.fields;
	const fields = { ...others, frame: { ...aspect_ratio!, parameter: 'aspect_ratio' } };
	jest.replaceProperty(spec, 'fields', fields);
});
afterEach(() => jest.restoreAllMocks());

const saved = { prompt: 'a kite', aspect_ratio: '16:9' };
const model = modelId('imgn-4.0');
const sent = { model: 'imgn-4.0', prompt: 'a kite', frame: '16:9' };

it.each<[string, NodeSpec]>([
	['of a panel', gatewayNode('image:generate', { model, ...saved })],
	['of Task > Submit', gatewayNode('task:submit', { model, parameters: JSON.stringify(saved) })],
	[
		'of the Model Tool',
		{
			type: TOOL_CALLER_TYPE,
			name: 'Agent',
			parameters: { tool: TOOL, arguments: {} },
			subNodes: {
				ai_tool: [
					{
						type: typeOf('generationGatewayModelTool'),
						name: TOOL,
						credentials: 'generationGatewayApi',
						parameters: { model: model as never, fixedFields: JSON.stringify(saved) },
					},
				],
			},
		},
	],
])('a value %s that was saved before a field was renamed is still sent', async (_where, node) => {
	await runWorkflow(linear(itemsNode([{}]), node), gateway.options());

	expect(gateway.bodies()).toEqual([sent]);
});
