import type { Message, Tool } from '@n8n/ai-node-sdk';
import type { IDataObject } from 'n8n-workflow';
import { GatewayChatModel } from '../../nodes/LmChatGenerationGateway/chatModel';
import { readChatOptions } from '../../nodes/LmChatGenerationGateway/options';
import { ItemReader } from '../../nodes/n8n/itemReader';
import { createVirtualGateway, ok, type VirtualResponse } from './virtualGateway';

export type Answer =
	VirtualResponse | ((clock: ReturnType<typeof createVirtualGateway>['clock']) => VirtualResponse);

export const DRAW: Tool = {
	type: 'function',
	name: 'draw',
	description: 'Draws a picture',
	inputSchema: { type: 'object', properties: { prompt: { type: 'string' } } },
};
export const hello: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }];

/** A model whose requests get these answers, the last one again and again. */
export function createModel(
	name: string,
	answers: Answer[],
	options: Record<string, unknown> = {},
) {
	const item = new ItemReader<never>(undefined as never, 0, { options: options as IDataObject });
	const { retry, ...chatOptions } = readChatOptions(item, name);
	const gateway = createVirtualGateway(
		(_request, index) => {
			const answer = answers[Math.min(index, answers.length - 1)]!;
			return typeof answer === 'function' ? answer(gateway.clock) : answer;
		},
		{ retry },
	);
	const model = new GatewayChatModel({
		client: gateway.client,
		model: name,
		...chatOptions,
		toJsonSchema: ({ inputSchema }) => inputSchema as Record<string, unknown>,
		toError: (error) => error as Error,
	});
	return { ...gateway, model };
}

export const completion = (message: object, finish_reason = 'stop') =>
	ok({
		id: 'c1',
		model: 'gp-5',
		choices: [{ message, finish_reason }],
		usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
	});
export const answer = completion({ role: 'assistant', content: 'Hi' });
export const toolCall = (id: string | undefined, prompt: string) => ({
	id,
	type: 'function',
	function: { name: 'draw', arguments: JSON.stringify({ prompt }) },
});
