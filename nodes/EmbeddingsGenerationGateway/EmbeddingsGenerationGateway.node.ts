import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';
import { embedAll } from '../gateway/embeddings/api';
import { createNodeClient } from '../n8n/gatewayContext';
import { ItemReader } from '../n8n/itemReader';
import { createNodeError } from '../n8n/items/failure';
import { modelLocator } from '../n8n/modelLocator';
import { searchModelsOf, readModel } from '../n8n/modelParameter';
import { batchSize, optionsCollection } from '../n8n/options';
import { numberParameter } from '../n8n/parameters';
import { createEmbeddingsModel } from './embeddings';

const concurrency = numberParameter({
	name: 'concurrency',
	displayName: 'Concurrency',
	description: 'How many requests to the gateway may be under way at once',
	min: 1,
	isInteger: true,
	fallback: 5,
});

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
		inputs: [],
		outputs: [NodeConnectionTypes.AiEmbedding],
		outputNames: ['Embeddings'],
		credentials: [{ name: 'generationGatewayApi', required: true }],
		properties: [modelLocator('embedding'), optionsCollection([batchSize, concurrency])],
	};

	methods = { listSearch: searchModelsOf({ resource: 'embedding', operation: 'create' }) };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const item = new ItemReader(this, itemIndex);
		try {
			const model = readModel(item, 'embedding');
			const [size, limit] = [item.option(batchSize), item.option(concurrency)];
			item.assertValid();
			const client = createNodeClient(this, { concurrency: limit });
			const embed = (texts: string[]) => embedAll(client, { model }, texts, size);
			return { response: createEmbeddingsModel(this, embed) };
		} catch (error) {
			throw createNodeError(this.getNode(), error, itemIndex);
		}
	}
}
