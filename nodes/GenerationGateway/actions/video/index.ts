import type { Resource } from '../../menu';
import { generate } from './generate.operation';

export const video: Resource = {
	generate: {
		name: 'Generate a Video',
		action: 'Generate a video (text or image to video, animate)',
		description: 'POST /v1/tasks',
		operation: generate,
	},
};
