import type { Resource } from '../../menu';
import { compare } from './compare.operation';
import { getAll } from './getAll.operation';

export const model: Resource = {
	compare: {
		name: 'Check for Changes',
		action: 'Check models for changes',
		description: 'Compare the models and prices of the gateway with those that this package knows',
		operation: compare,
	},
	getAll: {
		name: 'Get Many Models',
		description: 'List models with their prices (GET /v1/models)',
		isDefault: true,
		operation: getAll,
	},
};
