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
import { modelLocator, findModels } from '../n8n/modelLocator';
import { findEndpointIssue } from '../n8n/textParameters';
import { brokenLimits, chatModelOptions, chatOptions, numbersIn } from './options';
import { parseBaseUrl } from '../gateway/baseUrl';

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
				return { results: findModels('text', 'respond', filter) };
			},
		},
	};

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const model = String(
			this.getNodeParameter('model', itemIndex, '', { extractValue: true }),
		).trim();
		const options = numbersIn(
			this.getNodeParameter('options', itemIndex, {}) as Record<string, unknown>,
		);
		const wrong = model
			? (findEndpointIssue('respond', model)?.message ?? brokenLimits(model, options))
			: 'Model (model) is empty';
		if (wrong) throw new NodeOperationError(this.getNode(), wrong, { itemIndex });
		const { baseUrl, apiKey } = await this.getCredentials('generationGatewayApi');
		const address = parseBaseUrl(baseUrl).href.replace(/\/$/, '');
		const settings = chatModelOptions(model, options);
		return await sdkOf(this).then(({ supplyModel }) =>
			supplyModel(this, {
				type: 'openai',
				baseUrl: `${address}/v1`,
				apiKey: String(apiKey),
				...settings,
			}),
		);
	}
}

/** Loaded when it is needed: a host without the SDK still has the other nodes of this package. */
async function sdkOf(context: ISupplyDataFunctions) {
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
