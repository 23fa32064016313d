import type { Resource } from '../../menu';
import { getAll } from './getAll.operation';

export const model: Resource = {
	displayName: 'Model',
	value: 'model',
	default: 'getAll',
	operations: {
		getAll: {
			name: 'Get Many',
			action: 'Get many models',
			description: 'List the models of the gateway with their prices',
			operation: getAll,
		},
	},
};
