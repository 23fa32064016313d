import type { Resource } from '../../menu';
import { generate } from './generate.operation';

export const video: Resource = {
	generate: {
		name: 'Generate a Video',
		description: 'POST /v1/tasks',
		operation: generate,
	},
};
