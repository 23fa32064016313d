import type { Resource } from '../../menu';
import { getAll } from './getAll.operation';

export const model: Resource = {
	displayName: 'Model',
	value: 'model',
	default: 'getAll',
	operations: {
		getAll: {
			name: 'Get Many Models',
			action: 'Get many models',
			description: 'List models with their prices (GET /v1/models)',
			operation: getAll,
		},
	},
};
