import type { Resource } from '../../menu';
import { generate } from './generate.operation';

export const image: Resource = {
	displayName: 'Image',
	value: 'image',
	default: 'generate',
	operations: {
		generate: {
			name: 'Generate an Image',
			action: 'Generate an image',
			description: 'Create, edit or upscale images (POST /v1/tasks)',
			operation: generate,
		},
	},
};
