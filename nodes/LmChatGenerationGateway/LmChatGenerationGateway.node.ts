import {
	NodeConnectionTypes,
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';
import { modelLocator } from '../n8n/modelLocator';
import { findModels } from '../n8n/modelParameter';
import { findEndpointIssue } from '../n8n/textParameters';
import { createNodeClient } from '../n8n/gatewayContext';
import { createNodeError } from '../n8n/items/failure';
import { GatewayChatModel } from './chatModel';
import { keepImages } from './images';
import {
	chatOptions,
	endpointOf,
	findOptionProblems,
	readModelParameters,
	readNumbers,
	readRetry,
	readTimeoutMs,
} from './options';

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
		codex: {
			categories: ['AI'],
			subcategories: {
				AI: ['Language Models', 'Root Nodes'],
				'Language Models': ['Chat Models (Recommended)'],
			},
		},
		inputs: [],
		outputs: [NodeConnectionTypes.AiLanguageModel],
		outputNames: ['Model'],
		credentials: [{ name: 'generationGatewayApi', required: true }],
		properties: [modelLocator('respond'), chatOptions],
	};

	methods = {
		listSearch: {
			async searchModels(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
				return await findModels(this, 'text', 'respond', filter);
			},
		},
	};

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const model = String(
			this.getNodeParameter('model', itemIndex, '', { extractValue: true }),
		).trim();
		const options = readNumbers(
			this.getNodeParameter('options', itemIndex, {}) as Record<string, unknown>,
		);
		const problem = model
			? (findEndpointIssue('respond', model)?.message ?? findOptionProblems(model, options))
			: 'Model is empty. Choose one from the list or enter its ID';
		if (problem) throw new NodeOperationError(this.getNode(), problem, { itemIndex });
		const { supplyModel, getParametersJsonSchema } = await loadSdk(this);
		const retry = readRetry(options);
		const supplied = supplyModel(
			this,
			new GatewayChatModel({
				client: createNodeClient(this, { concurrency: CONCURRENCY, retry }),
				model,
				endpoint: endpointOf(model),
				parameters: readModelParameters(options),
				timeoutMs: readTimeoutMs(options),
				toJsonSchema: getParametersJsonSchema,
				toError: (error) => createNodeError(this.getNode(), error, itemIndex),
			}),
		);
		return { ...supplied, response: keepImages(supplied.response) };
	}
}

/** Loaded late, since older hosts do not have it. */
async function loadSdk(context: ISupplyDataFunctions) {
	try {
		return await import('@n8n/ai-node-sdk');
	} catch {
		throw new NodeOperationError(
			context.getNode(),
			'This version of n8n cannot take chat models from community packages',
			{
				description:
					"Update n8n to 2.x. Until then, n8n's OpenAI Chat Model works with the gateway when its credential has the gateway's address and key.",
			},
		);
	}
}
