import { createAudioOperation } from '../../audio/speechOperation';

/** POST /v1/audio/translations, into English: spec section 2.5. */
export const translate = createAudioOperation('translate', '/v1/audio/translations');
