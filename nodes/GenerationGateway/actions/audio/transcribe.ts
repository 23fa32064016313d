import { speechOperation } from '../../speech/operation';

/** POST /v1/audio/transcriptions: spec section 2.5. */
export const transcribe = speechOperation('transcribe', '/v1/audio/transcriptions');
