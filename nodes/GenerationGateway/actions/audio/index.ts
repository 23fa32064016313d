import type { Resource } from '../../menu';
import { transcribe } from './transcribe.operation';
import { translate } from './translate.operation';

export const audio: Resource = {
	transcribe: {
		name: 'Transcribe a Recording',
		description: 'Speech to text, in its own language (POST /v1/audio/transcriptions)',
		operation: transcribe,
	},
	translate: {
		name: 'Translate a Recording',
		description: 'Speech to English text (POST /v1/audio/translations)',
		operation: translate,
	},
};
