import { textOperation } from '../../text/textOperation';

/** POST /v1/messages: spec section 2.5. */
export const message = textOperation('message');
