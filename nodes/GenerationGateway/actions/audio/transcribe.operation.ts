import { speechOperation } from '../../audio/speechOperation';

/** POST /v1/audio/transcriptions: spec section 2.5. */
export const transcribe = speechOperation('transcribe', '/v1/audio/transcriptions');
