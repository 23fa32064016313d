import { createAudioOperation } from '../../audio/speechOperation';

/** POST /v1/audio/transcriptions: spec section 2.5. */
export const transcribe = createAudioOperation('transcribe', '/v1/audio/transcriptions');
