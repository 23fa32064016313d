import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';
import { createNodeClient } from '../n8n/gatewayContext';
import { ItemReader } from '../n8n/itemReader';
import { createNodeError, toStreamedError } from '../n8n/items/failure';
import { modelLocator } from '../n8n/modelLocator';
import { searchModelsOf, readModel } from '../n8n/modelParameter';
import { GatewayChatModel } from './chatModel';
import { adaptModel } from './adaptModel';
import { chatOptions, readChatOptions } from './options';

/** For agents and chains over many items. */
const CONCURRENCY = 20;

export class LmChatGenerationGateway implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Generation Gateway Chat Model',
		name: 'lmChatGenerationGateway',
		icon: { light: 'file:../../icons/gateway.svg', dark: 'file:../../icons/gateway.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["model"]["value"] }}',
		description: 'Text models of the generation gateway, for AI agents and chains',
		defaults: { name: 'Generation Gateway Chat Model' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiLanguageModel],
		outputNames: ['Model'],
		credentials: [{ name: 'generationGatewayApi', required: true }],
		properties: [modelLocator('respond'), chatOptions],
	};

	methods = { listSearch: searchModelsOf({ resource: 'text', operation: 'respond' }) };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const toError = (given: unknown) => {
			const error = createNodeError(this.getNode(), given, itemIndex);
			return (this as Partial<IExecuteFunctions>).isStreaming?.() ? toStreamedError(error) : error;
		};
		try {
			const item = new ItemReader(this, itemIndex);
			const model = readModel(item, 'text');
			const { retry, ...options } = readChatOptions(item, model);
			item.assertValid();
			const { supplyModel, getParametersJsonSchema: toJsonSchema } = await loadSdk(this);
			const client = createNodeClient(this, { concurrency: CONCURRENCY, retry });
			const chatModel = new GatewayChatModel({ ...options, client, model, toJsonSchema, toError });
			const supplied = supplyModel(this, chatModel);
			const settings = { model, ...options.parameters };
			return { ...supplied, response: adaptModel(supplied.response, settings) };
		} catch (error) {
			throw toError(error);
		}
	}
}

/** Loaded late, since older hosts do not have it. n8n 1.x shows only the message of a sub-node. */
async function loadSdk(context: ISupplyDataFunctions) {
	try {
		return await import('@n8n/ai-node-sdk');
	} catch {
		throw new NodeOperationError(
			context.getNode(),
			"This version of n8n cannot take chat models from community packages. Update n8n to 2.x. Until then, n8n's OpenAI Chat Model takes the models of Text > Send a Message when its credential has the gateway's key, and as Base URL its address with /v1 at the end.",
			{ description: 'Update n8n, or use the other node.' },
		);
	}
}
