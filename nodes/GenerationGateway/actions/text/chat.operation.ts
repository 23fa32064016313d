import { createTextOperation } from '../../text/textOperation';

/** POST /v1/chat/completions: spec section 2.5. */
export const chat = createTextOperation('chat');
