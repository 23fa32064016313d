import type { Resource } from '../../menu';
import { generate } from './generate.operation';

export const image: Resource = {
	generate: {
		name: 'Generate an Image',
		description: 'POST /v1/tasks',
		operation: generate,
	},
};
