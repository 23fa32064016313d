import type { Resource } from '../../menu';
import { generate } from './generate.operation';

export const image: Resource = {
	generate: {
		name: 'Generate an Image',
		action: 'Generate an image (text to image, edit, upscale)',
		description: 'POST /v1/tasks',
		operation: generate,
	},
};
