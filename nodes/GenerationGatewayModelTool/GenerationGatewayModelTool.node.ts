import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';
import { searchModelsOf } from '../n8n/modelParameter';
import { callTool, readCall } from './callTool';
import { readModelTool } from './modelTool';
import { properties } from './properties';
import { supplyTool } from './supplyTool';

export class GenerationGatewayModelTool implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Generation Gateway Model Tool',
		name: 'generationGatewayModelTool',
		icon: { light: 'file:../../icons/gateway.svg', dark: 'file:../../icons/gateway.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["model"]["value"] }}',
		description:
			'One image or video model as a tool of an AI agent: its arguments are the fields of the model',
		defaults: { name: 'Generate Media' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
		outputNames: ['Tool'],
		credentials: [{ name: 'generationGatewayApi', required: true }],
		properties,
	};

	methods = { listSearch: searchModelsOf({ resource: 'task', operation: 'submit' }) };

	/** For agents that call the tool themselves: those of n8n 1.x, and n8n's own. */
	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		return { response: supplyTool(this, itemIndex) };
	}

	/** For agents that have n8n run the tool: those of n8n 2.x. Each item is a call. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const answers = await Promise.all(
			this.getInputData().map(async (_given, item): Promise<INodeExecutionData> => {
				const tool = readModelTool(this, item);
				const answer = await callTool(this, tool, readCall(this, tool, item), item);
				return { json: answer, pairedItem: { item } };
			}),
		);
		return [answers];
	}
}
