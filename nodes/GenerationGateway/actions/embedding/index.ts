import type { Resource } from '../../menu';
import { create } from './create.operation';

export const embedding: Resource = {
	displayName: 'Embedding',
	value: 'embedding',
	default: 'create',
	operations: {
		create: {
			name: 'Create Embeddings',
			action: 'Create embeddings',
			description: 'Turn texts into vectors, for all items in few requests',
			operation: create,
		},
	},
};
