import { createAudioOperation } from '../../audio/audioOperation';

/** POST /v1/audio/transcriptions: spec section 2.5. */
export const transcribe = createAudioOperation('transcribe');
