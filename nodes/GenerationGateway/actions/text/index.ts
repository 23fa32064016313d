import type { Resource } from '../../menu';
import { chat } from './chat.operation';
import { generateContent } from './generateContent.operation';
import { message } from './message.operation';
import { respond } from './respond.operation';

export const text: Resource = {
	chat: {
		name: 'Send a Message',
		description: 'With most text models (POST /v1/chat/completions)',
		operation: chat,
	},
	respond: {
		name: 'Send a Message with Tools or Video',
		description: 'With web search, images and video (POST /v1/responses)',
		operation: respond,
	},
	message: {
		name: 'Send a Message (Messages Format)',
		action: 'Send a message to a cld model',
		description: 'With a cld model (POST /v1/messages)',
		operation: message,
	},
	generateContent: {
		name: 'Generate Content (Native Format)',
		action: 'Generate content with a gmn model',
		description: 'With a gmn model (POST …:generateContent)',
		operation: generateContent,
	},
};
