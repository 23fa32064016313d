import type { Resource } from '../../menu';
import { generate } from './generate.operation';

export const image: Resource = {
	displayName: 'Image',
	value: 'image',
	default: 'generate',
	operations: {
		generate: {
			name: 'Generate',
			action: 'Generate an image',
			description: 'Create or edit images with any image model',
			operation: generate,
		},
	},
};
