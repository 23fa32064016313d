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
import { findOptionProblems, toModelOptions, chatOptions, readNumbers } from './options';
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
		const options = readNumbers(
			this.getNodeParameter('options', itemIndex, {}) as Record<string, unknown>,
		);
		const problem = model
			? (findEndpointIssue('respond', model)?.message ?? findOptionProblems(model, options))
			: 'Model is empty. Choose one from the list or enter its ID';
		if (problem) throw new NodeOperationError(this.getNode(), problem, { itemIndex });
		const { baseUrl, apiKey } = await this.getCredentials('generationGatewayApi');
		const parsed = parseBaseUrl(baseUrl);
		if ('problem' in parsed)
			throw new NodeOperationError(this.getNode(), parsed.problem, { itemIndex });
		const address = parsed.href.replace(/\/$/, '');
		const settings = toModelOptions(model, options);
		return await loadSdk(this).then(({ supplyModel }) =>
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
