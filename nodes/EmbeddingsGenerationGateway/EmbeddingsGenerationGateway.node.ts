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
import { createClient } from '../gateway/client';
import { BATCH_SIZE, Embedder } from '../gateway/embeddings/embedder';
import { createEmbeddingsModel } from './embeddings';

export class EmbeddingsGenerationGateway implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Embeddings Generation Gateway',
		name: 'embeddingsGenerationGateway',
		icon: { light: 'file:../../icons/gateway.svg', dark: 'file:../../icons/gateway.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["model"]["value"] }}',
		description: 'Embedding models of the generation gateway, for vector stores',
		defaults: { name: 'Embeddings Generation Gateway' },
		codex: { categories: ['AI'], subcategories: { AI: ['Embeddings'] } },
		inputs: [],
		outputs: [NodeConnectionTypes.AiEmbedding],
		outputNames: ['Embeddings'],
		credentials: [{ name: 'generationGatewayApi', required: true }],
		properties: [
			modelLocator('embedding'),
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add Option',
				default: {},
				options: [
					{
						displayName: 'Batch Size',
						name: 'batchSize',
						type: 'number',
						typeOptions: { minValue: 1, numberPrecision: 0 },
						default: BATCH_SIZE,
						description: 'How many texts go into one request',
					},
					{
						displayName: 'Concurrency',
						name: 'concurrency',
						type: 'number',
						typeOptions: { minValue: 1, numberPrecision: 0 },
						default: 5,
						description: 'How many calls to the gateway may be under way at once',
					},
				],
			},
		],
	};

	methods = {
		listSearch: {
			async searchModels(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
				return { results: findModels('embedding', 'create', filter) };
			},
		},
	};

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const model = String(
			this.getNodeParameter('model', itemIndex, '', { extractValue: true }),
		).trim();
		if (!model)
			throw new NodeOperationError(this.getNode(), 'Model (model) is empty', { itemIndex });
		const { batchSize = BATCH_SIZE, concurrency = 5 } = this.getNodeParameter(
			'options',
			itemIndex,
			{},
		) as Record<string, number>;
		const embedder = new Embedder(createClient(this, { concurrency }), { model }, batchSize);
		return { response: createEmbeddingsModel(this, embedder) };
	}
}
