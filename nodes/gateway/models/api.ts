import type { GatewayClient } from '../client';
import { readErrorBody } from '../errorBody';
import { GatewayError } from '../errors';
import { readModels, type ListedModel } from './schema';

/** GET /v1/models: what the gateway offers now. */
export async function listModels(client: GatewayClient): Promise<ListedModel[]> {
	const { body } = await client.request({ kind: 'read', method: 'GET', path: '/v1/models' });
	const models = readModels(body);
	if (models) return models;
	const { message } = readErrorBody(body);
	throw new GatewayError(
		'unreadable_response',
		`The gateway answered without a list of models${message ? `: ${message}` : ''}`,
	);
}
