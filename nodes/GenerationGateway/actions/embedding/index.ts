import type { Resource } from '../../menu';
import { create } from './create.operation';

export const embedding: Resource = {
	create: {
		name: 'Create Embeddings',
		description: 'Turn texts into vectors, for all items in few requests',
		operation: create,
	},
};
