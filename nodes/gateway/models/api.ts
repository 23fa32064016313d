import { read, type GatewayClient } from '../client';
import { readModels, type ListedModel } from './schema';

/** GET /v1/models */
export async function listModels(client: GatewayClient): Promise<ListedModel[]> {
	return await read(client, '/v1/models', { expects: 'a list of models', read: readModels });
}
