import type { Resource } from '../../menu';
import { transcribe } from './transcribe.operation';
import { translate } from './translate.operation';

export const audio: Resource = {
	displayName: 'Audio',
	value: 'audio',
	default: 'transcribe',
	operations: {
		transcribe: {
			name: 'Transcribe',
			action: 'Transcribe a recording',
			description: 'Turn speech into text in its own language',
			operation: transcribe,
		},
		translate: {
			name: 'Translate',
			action: 'Translate a recording',
			description: 'Turn speech into English text',
			operation: translate,
		},
	},
};
