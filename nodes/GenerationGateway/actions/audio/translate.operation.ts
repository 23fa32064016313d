import { createAudioOperation } from '../../audio/audioOperation';

/** POST /v1/audio/translations, into English: spec section 2.5. */
export const translate = createAudioOperation('translate');
