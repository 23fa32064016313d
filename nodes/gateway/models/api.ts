import type { GatewayClient } from '../client';
import { readModels, type ListedModel } from './schema';

/** GET /v1/models */
export async function listModels(client: GatewayClient): Promise<ListedModel[]> {
	const { body } = await client.request({
		kind: 'read',
		method: 'GET',
		path: '/v1/models',
		reader: { expects: 'a list of models', read: readModels },
	});
	return body;
}
