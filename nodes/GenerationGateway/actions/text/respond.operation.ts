import { createTextOperation } from '../../text/textOperation';

/** POST /v1/responses: spec section 2.5. */
export const respond = createTextOperation('respond');
