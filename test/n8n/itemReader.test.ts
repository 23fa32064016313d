import { ExpressionError, type INodeProperties, type INodeType } from 'n8n-workflow';
import { ItemReader } from '../../nodes/n8n/itemReader';
import { GenerationGateway } from '../../nodes/GenerationGateway/GenerationGateway.node';
import { GenerationGatewayModelTool } from '../../nodes/GenerationGatewayModelTool/GenerationGatewayModelTool.node';
import { EmbeddingsGenerationGateway } from '../../nodes/EmbeddingsGenerationGateway/EmbeddingsGenerationGateway.node';
import { LmChatGenerationGateway } from '../../nodes/LmChatGenerationGateway/LmChatGenerationGateway.node';
import { catchError } from '../support/gatewayClient';

const NODES: INodeType[] = [
	new GenerationGateway(),
	new GenerationGatewayModelTool(),
	new EmbeddingsGenerationGateway(),
	new LmChatGenerationGateway(),
];
const hasValue = ({ type }: INodeProperties) => type !== 'notice' && type !== 'hidden';
const parameters = NODES.flatMap((node) => node.description.properties).filter(hasValue);

it.each([...new Set(parameters.map(({ name }) => name))])(
	'an expression that n8n cannot evaluate in %s has the label of the panel',
	async (name) => {
		const labels = parameters
			.filter((property) => property.name === name)
			.map(({ displayName }) => displayName);
		const fail = () => {
			throw new SyntaxError('invalid syntax');
		};
		const item = new ItemReader(
			{ getNodeParameter: fail, getNode: () => ({ parameters: {} }) } as never,
			0,
		);
		const error = await catchError((async () => item.raw(name))());

		expect(error).toMatchObject({ code: 'invalid_input', details: { billed: 0, retry: false } });
		expect(labels.map((label) => `${label}: invalid syntax`)).toContain(error.message);
	},
);

it('an expression that n8n had no time to evaluate may run again', async () => {
	const getNodeParameter = () => {
		throw new ExpressionError('Expression timed out');
	};
	const node = { getNodeParameter, getNode: () => ({ parameters: {} }) };
	const item = new ItemReader(node as never, 0);

	expect(await catchError((async () => item.raw('prompt'))())).toMatchObject({
		message: 'Prompt: Expression timed out',
		hint: 'Nothing was sent and nothing was billed. If n8n was busy, run it again.',
		details: { billed: 0, retry: true },
	});
});
