import { createTextOperation } from '../../text/textOperation';

/** POST /v1/messages: spec section 2.5. */
export const message = createTextOperation('message');
