import { createTextOperation } from '../../text/textOperation';

/** POST /v1/models/{model}:generateContent: spec section 2.5. */
export const generateContent = createTextOperation('generateContent');
