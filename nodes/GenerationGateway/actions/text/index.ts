import type { Resource } from '../../menu';
import { chat } from './chat.operation';
import { generateContent } from './generateContent.operation';
import { message } from './message.operation';
import { respond } from './respond.operation';

export const text: Resource = {
	displayName: 'Text',
	value: 'text',
	default: 'chat',
	operations: {
		chat: {
			name: 'Chat',
			action: 'Chat with a text model',
			description: 'Get an answer through chat completions, with any text model',
			operation: chat,
		},
		respond: {
			name: 'Respond',
			action: 'Get a response with tools, images or video',
			description: 'Get a response to text, images and video, with built-in tools',
			operation: respond,
		},
		message: {
			name: 'Message',
			action: 'Send a message to a cld model',
			description: 'Get an answer through the messages endpoint of the cld models',
			operation: message,
		},
		generateContent: {
			name: 'Generate Content',
			action: 'Generate content with a gmn model',
			description: 'Get an answer through the native endpoint of the gmn models',
			operation: generateContent,
		},
	},
};
