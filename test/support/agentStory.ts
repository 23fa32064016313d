import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NodeSpec, WorkflowJson } from '../../scripts/engine';
import { json } from './stubGateway';

export const TOOL = 'Draw Cover';
/** An agent that is the tool of another one. */
export const ARTIST = 'Artist';
/** Credentials by the node that has them; the host fills in which. */
const CREDENTIALS: Record<string, string> = { Model: 'openAiApi', [TOOL]: 'generationGatewayApi' };

interface Message {
	role: string;
	content: string | null;
}

interface ChatRequest {
	messages: Message[];
	tools: { function: { name: string; description: string; parameters: unknown } }[];
}

export interface ScriptedModel {
	url: string;
	/** What the agent sent, oldest first. */
	requests: ChatRequest[];
	close: () => Promise<void>;
}

const callTool = (args: object, number: number, name = 'Draw_Cover') => ({
	role: 'assistant',
	content: null,
	tool_calls: [
		{
			id: `call_${number}`,
			type: 'function',
			function: { name, arguments: JSON.stringify(args) },
		},
	],
});

/**
 * What a model would do: it guesses a value, reads the refusal, takes a value that the refusal names,
 * repeats that call, and answers with the link.
 */
function play({ messages, tools = [] }: ChatRequest): object {
	const [first] = tools;
	if (first?.function.name === ARTIST) {
		const answer = messages.find(({ role }) => role === 'tool')?.content;
		if (answer) return { role: 'assistant', content: `The artist says: ${answer}` };
		return callTool({ Prompt__User_Message_: 'Draw the cover', prompt: 'Draw' }, 0, ARTIST);
	}
	const results = messages
		.filter(({ role }) => role === 'tool')
		.map(({ content }) => String(content));
	if (!results.length) return callTool({ prompt: 'a red kite', aspect_ratio: 'wide' }, 0);
	const offered = /must be .*?(16:9)/.exec(results[0]!)?.[1] ?? 'none';
	if (results.length < 3)
		return callTool({ prompt: 'a red kite', aspect_ratio: offered }, results.length);
	const link = /https?:\/\/[^"\\\s]+\/files\/[^"\\\s]+/.exec(results.at(-1)!)?.[0];
	return { role: 'assistant', content: `The cover is at ${link}` };
}

async function readBody(request: IncomingMessage): Promise<ChatRequest> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
}

/** A chat model that follows a script, under OpenAI's interface. */
export async function startScriptedModel(): Promise<ScriptedModel> {
	const requests: ChatRequest[] = [];
	const server = createServer(async (request, response) => {
		const body = await readBody(request);
		requests.push(body);
		const message = play(body) as { tool_calls?: unknown };
		json(response, {
			id: 'chatcmpl-1',
			object: 'chat.completion',
			created: 1,
			model: 'scripted',
			choices: [{ index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		});
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		requests,
		close: async () => {
			server.closeAllConnections();
			await new Promise((done) => server.close(done));
		},
	};
}

/** An agent with the scripted model and one image model as its tool, which may spend on one picture. */
export function agentStory(
	id: string,
	agentVersion: number,
): WorkflowJson & { id: string; name: string } {
	const nodes: NodeSpec[] = [
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
		{
			name: 'Agent',
			type: '@n8n/n8n-nodes-langchain.agent',
			typeVersion: agentVersion,
			parameters: { promptType: 'define', text: 'Draw the cover', options: {} },
		},
		{
			name: 'Model',
			type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
			typeVersion: 1.2,
			parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
		},
		{
			name: TOOL,
			type: 'n8n-nodes-generation-gateway.generationGatewayModelTool',
			typeVersion: 1,
			parameters: {
				model: { __rl: true, mode: 'id', value: 'imgn-4.0' },
				fixedFields: '{ "n": 1 }',
				options: { maximumRunCost: 0.05 },
			} as NodeSpec['parameters'],
		},
	];
	const link = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
	return {
		id,
		name: id,
		nodes: nodes.map((node, at) => {
			const credential = CREDENTIALS[String(node.name)];
			return {
				id: String(at),
				typeVersion: 1,
				position: [at * 200, 0],
				parameters: {},
				...node,
				credentials: credential && { [credential]: { id: '', name: '' } },
			};
		}) as unknown as WorkflowJson['nodes'],
		connections: {
			Start: link('main'),
			Model: link('ai_languageModel'),
			[TOOL]: link('ai_tool'),
		} as WorkflowJson['connections'],
		settings: { executionOrder: 'v1' },
	};
}

/** The same agent as the tool of another agent. */
export function subAgentStory(
	id: string,
	agentVersion: number,
): WorkflowJson & { id: string; name: string } {
	const { nodes, connections, ...story } = agentStory(id, agentVersion);
	const artist = {
		id: 'artist',
		name: ARTIST,
		type: '@n8n/n8n-nodes-langchain.agentTool',
		typeVersion: agentVersion,
		position: [0, 200] as [number, number],
		parameters: { toolDescription: 'Draws covers', text: 'Draw the cover', options: {} },
	};
	const to = (type: 'ai_languageModel' | 'ai_tool', ...names: string[]) => ({
		[type]: [names.map((node) => ({ node, type, index: 0 }))],
	});
	return {
		...story,
		nodes: [...nodes, artist],
		connections: {
			...connections,
			Model: to('ai_languageModel', 'Agent', ARTIST),
			[TOOL]: to('ai_tool', ARTIST),
			[ARTIST]: to('ai_tool', 'Agent'),
		} as WorkflowJson['connections'],
	};
}
