import type { Resource } from '../../menu';
import { createAudioOperation } from '../../audio/audioOperation';

/** Spec section 2.5. */
export const audio: Resource = {
	transcribe: {
		name: 'Transcribe a Recording',
		action: 'Transcribe a recording (voice to text, subtitles)',
		description: 'Speech to text, in its own language (POST /v1/audio/transcriptions)',
		operation: createAudioOperation('transcribe'),
	},
	translate: {
		name: 'Translate a Recording',
		description: 'Speech to English text (POST /v1/audio/translations)',
		operation: createAudioOperation('translate'),
	},
};
