import type { Resource } from '../../menu';
import { createTextOperation } from '../../text/textOperation';

/** Spec section 2.5. */
export const text: Resource = {
	chat: {
		name: 'Send a Message',
		description: 'With any text model (POST /v1/chat/completions)',
		operation: createTextOperation('chat'),
	},
	respond: {
		name: 'Send a Message with Tools or Video',
		description: 'With web search, images and video (POST /v1/responses)',
		operation: createTextOperation('respond'),
	},
	message: {
		name: 'Send a Message (Messages Format)',
		description: 'With a cld model (POST /v1/messages)',
		operation: createTextOperation('message'),
	},
	generateContent: {
		name: 'Generate Content (Native Format)',
		description: 'With a gmn model (POST …:generateContent)',
		operation: createTextOperation('generateContent'),
	},
};
