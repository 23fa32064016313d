import type { NodeSpec } from '../../scripts/engine/builder';
import { CREDENTIAL } from '../../scripts/host/n8nHost';
import { located, type Address } from './flow';
import { TASK } from './http';
import { EXPRESSION } from './ours';

/** n8n's OpenAI node, on the chat completions of the same gateway. */
export const openAiChat = (): NodeSpec => ({
	name: 'OpenAI',
	type: '@n8n/n8n-nodes-langchain.openAi',
	typeVersion: 1.8,
	credentials: { openAiApi: { id: 'openAiApi', name: 'openAiApi' } },
	parameters: {
		modelId: located('gpt-4o-mini'),
		messages: { values: [{ content: '={{ $json.prompt }}' }] },
		options: {},
	},
});

export const openAiTranscribe = (): NodeSpec => {
	const chats = openAiChat();
	return {
		...chats,
		parameters: {
			resource: 'audio',
			operation: 'transcribe',
			binaryPropertyName: 'data',
			options: {},
		},
	};
};

/** n8n's own node with the same one expression, or with none. */
export const editFields = (value = EXPRESSION): NodeSpec => ({
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		assignments: { assignments: [{ id: 'a', name: 'body', type: 'string', value }] },
		options: {},
	},
});

/** A file of this machine into n8n's storage. */
export const readFile = (file: string): NodeSpec => ({
	name: 'Read',
	type: 'n8n-nodes-base.readWriteFile',
	parameters: { fileSelector: file, options: {} },
});

/** Awaits one row after the other; made for this contest. */
export const serial = ({ url, key }: Address): NodeSpec => ({
	name: 'Serial',
	type: 'CUSTOM.serial',
	parameters: { url, key, body: TASK },
});

/** Two bare calls for each task of this length; made for this contest. */
export const bare = (concurrency: number, taskMs: number): NodeSpec => ({
	name: 'Bare',
	type: 'CUSTOM.bare',
	credentials: { [CREDENTIAL.type]: { id: CREDENTIAL.id, name: CREDENTIAL.name } },
	parameters: { body: TASK, concurrency, taskMs },
});
