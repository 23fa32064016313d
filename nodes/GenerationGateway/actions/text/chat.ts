import { textOperation } from '../../writing/operation';

/** POST /v1/chat/completions: spec section 2.5. */
export const chat = textOperation('chat');
