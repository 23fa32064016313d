import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Operation } from '../operation';
import { mergeProperties } from '../../n8n/panel/mergeProperties';
import { create as createAsset } from './asset/create.operation';
import { deleteOne as deleteAsset } from './asset/delete.operation';
import { get as getAsset } from './asset/get.operation';
import { getAll as getAssets } from './asset/getAll.operation';
import { transcribe } from './audio/transcribe.operation';
import { translate } from './audio/translate.operation';
import { create as createEmbedding } from './embedding/create.operation';
import { generate as generateImage } from './image/generate.operation';
import { getAll as getModels } from './model/getAll.operation';
import { awaitTasks } from './task/await.operation';
import { cancel } from './task/cancel.operation';
import { get } from './task/get.operation';
import { submit } from './task/submit.operation';
import { chat } from './text/chat.operation';
import { generateContent } from './text/generateContent.operation';
import { message } from './text/message.operation';
import { respond } from './text/respond.operation';
import { generate as generateVideo } from './video/generate.operation';

interface Entry {
	name: string;
	description: string;
	/** How the entry reads in n8n's node panel. */
	action: string;
	operation: Operation;
}

interface Resource {
	name: string;
	/** The operation a new node starts with. */
	first: string;
	operations: Record<string, Entry>;
}

/** The whole menu: resource, operation, and what does it. */
const MENU: Record<string, Resource> = {
	asset: {
		name: 'Asset',
		first: 'create',
		operations: {
			create: {
				name: 'Create',
				action: 'Create an asset',
				description:
					'Put an image, video or audio file into the library, to reference it in videos',
				operation: createAsset,
			},
			delete: {
				name: 'Delete',
				action: 'Delete an asset',
				description: 'Remove an asset from the library',
				operation: deleteAsset,
			},
			get: {
				name: 'Get',
				action: 'Get an asset',
				description: 'Get an asset and the state of its review',
				operation: getAsset,
			},
			getAll: {
				name: 'Get Many',
				action: 'Get many assets',
				description: 'List the assets of the account, newest first',
				operation: getAssets,
			},
		},
	},
	audio: {
		name: 'Audio',
		first: 'transcribe',
		operations: {
			transcribe: {
				name: 'Transcribe',
				action: 'Transcribe speech',
				description: 'Turn speech into text in its own language',
				operation: transcribe,
			},
			translate: {
				name: 'Translate',
				action: 'Translate speech into English',
				description: 'Turn speech into English text',
				operation: translate,
			},
		},
	},
	embedding: {
		name: 'Embedding',
		first: 'create',
		operations: {
			create: {
				name: 'Create',
				action: 'Create embeddings',
				description: 'Turn texts into vectors, for all items in few requests',
				operation: createEmbedding,
			},
		},
	},
	image: {
		name: 'Image',
		first: 'generate',
		operations: {
			generate: {
				name: 'Generate',
				action: 'Generate an image',
				description: 'Create or edit images with any image model',
				operation: generateImage,
			},
		},
	},
	model: {
		name: 'Model',
		first: 'getAll',
		operations: {
			getAll: {
				name: 'Get Many',
				action: 'Get many models',
				description: 'List the models of the gateway with their prices',
				operation: getModels,
			},
		},
	},
	task: {
		name: 'Task',
		first: 'submit',
		operations: {
			await: {
				name: 'Await',
				action: 'Await tasks',
				description: 'Wait until tasks have ended and return their results',
				operation: awaitTasks,
			},
			cancel: {
				name: 'Cancel',
				action: 'Cancel a task',
				description: 'Cancel an unfinished task; its cost is refunded',
				operation: cancel,
			},
			get: {
				name: 'Get',
				action: 'Get a task',
				description: 'Get the current state of a task',
				operation: get,
			},
			submit: {
				name: 'Submit',
				action: 'Submit a task',
				description:
					'Start an image or video task from a JSON body, with the model chosen by expression if needed',
				operation: submit,
			},
		},
	},
	text: {
		name: 'Text',
		first: 'chat',
		operations: {
			chat: {
				name: 'Chat',
				action: 'Chat with a model',
				description: 'Get an answer through chat completions, with any text model',
				operation: chat,
			},
			generateContent: {
				name: 'Generate Content',
				action: 'Generate content natively',
				description: 'Get an answer through the native endpoint of the gmn models',
				operation: generateContent,
			},
			message: {
				name: 'Message',
				action: 'Send a message to a model',
				description: 'Get an answer through the messages endpoint of the cld models',
				operation: message,
			},
			respond: {
				name: 'Respond',
				action: 'Get a response of a model',
				description: 'Get a response to text, images and video, with built-in tools',
				operation: respond,
			},
		},
	},
	video: {
		name: 'Video',
		first: 'generate',
		operations: {
			generate: {
				name: 'Generate',
				action: 'Generate a video',
				description: 'Create videos from text, images or other videos with any video model',
				operation: generateVideo,
			},
		},
	},
};

/** The operation behind a menu entry; undefined when the menu has no such entry. */
export function operationAt(resource: string, operation: string): Operation | undefined {
	return MENU[resource]?.operations[operation]?.operation;
}

const choices = (entries: Record<string, Entry>): INodePropertyOptions[] =>
	Object.entries(entries).map(([value, { name, action, description }]) => ({
		name,
		value,
		action,
		description,
	}));

/** All properties of the node: the menu, then the panel of each entry. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: Object.entries(MENU).map(([value, { name }]) => ({ name, value })),
		default: 'image',
	},
	...Object.entries(MENU).map(([resource, { operations, first }]): INodeProperties => ({
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: choices(operations),
		default: first,
	})),
	...Object.values(MENU).flatMap(({ operations }) =>
		mergeProperties(Object.values(operations).map(({ operation }) => operation.properties)),
	),
];
