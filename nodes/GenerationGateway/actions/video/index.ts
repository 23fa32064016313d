import type { Resource } from '../../menu';
import { generate } from './generate.operation';

export const video: Resource = {
	displayName: 'Video',
	value: 'video',
	default: 'generate',
	operations: {
		generate: {
			name: 'Generate',
			action: 'Generate a video',
			description: 'Create videos from text, images or other videos with any video model',
			operation: generate,
		},
	},
};
