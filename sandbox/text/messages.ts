import { randomUUID } from 'node:crypto';
import { messageModels } from '../models';
import { HttpError } from '../httpError';
import { flag, object, real, whole } from '../rules/checks';
import type { Body, Settings } from '../settings';
import { complete, countTokens, type Completion, type Tool } from './completion';
import { readText } from './chat';
import { checkList, checkModel, checkParams, isObject } from './params';
import type { ServerSentEvent } from './stream';

const params = {
	max_tokens: whole(1),
	temperature: real(0, 1),
	top_p: real(0, 1),
	top_k: whole(),
	stream: flag,
	metadata: object,
	stop_sequences: (value: unknown) => {
		if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
			return 'must be an array of strings';
		}
		if (value.length > 4) return 'must have at most 4 sequences';
		return value.some((item: string) => countTokens(item) > 32)
			? 'may have at most 32 tokens each'
			: undefined;
	},
	system: (value: unknown) => {
		const blocks =
			Array.isArray(value) &&
			value.every(
				(part) => isObject(part) && part.type === 'text' && typeof part.text === 'string',
			);
		return typeof value === 'string' || blocks
			? undefined
			: 'must be a string or an array of text blocks';
	},
};

/** User and assistant in turn; the first may be either, the last too (a prefill). */
function checkAlternation(value: unknown): Body[] {
	const messages = checkList(value, 'messages');
	let before: unknown;
	for (const message of messages) {
		if (!isObject(message) || (message.role !== 'user' && message.role !== 'assistant')) {
			throw new HttpError(400, 'messages entries have a role of user or assistant.', 'messages');
		}
		if (message.role === before)
			throw new HttpError(400, 'The roles user and assistant must alternate.', 'messages');
		const { content } = message;
		const blocks =
			Array.isArray(content) &&
			content.every((part) => isObject(part) && typeof part.type === 'string');
		if (typeof content !== 'string' && !blocks) {
			throw new HttpError(
				400,
				'content must be a string or an array of content blocks.',
				'messages',
			);
		}
		before = message.role;
	}
	return messages as Body[];
}

function readToolResults(message: Body): string[] | undefined {
	const blocks = Array.isArray(message.content) ? (message.content as Body[]) : [];
	const results = blocks
		.filter((block) => block.type === 'tool_result')
		.map((block) => readText(block.content));
	return results.length > 0 ? results : undefined;
}

const readTools = (tools: unknown): Tool[] =>
	Array.isArray(tools)
		? tools.filter(isObject).map((tool) => ({ name: String(tool.name), schema: tool.input_schema }))
		: [];

const reasons = {
	stop: 'end_turn',
	length: 'max_tokens',
	sequence: 'stop_sequence',
	tool: 'tool_use',
};

/** Section 2.5, messages-style: the message and its stream. */
export function createMessage(
	body: Body,
	settings: Settings,
): { whole: Body; events: ServerSentEvent[] } {
	const model = checkModel(body.model, messageModels, settings);
	const messages = checkAlternation(body.messages);
	if (body.max_tokens === undefined || body.max_tokens === null) {
		throw new HttpError(400, 'max_tokens is required.', 'max_tokens');
	}
	checkParams(body, params);
	const lastUser = messages.filter((item) => item.role === 'user').at(-1) ?? {};
	const completion = complete({
		model,
		text: readText(lastUser.content),
		results: readToolResults(lastUser),
		allText: `${readText(body.system)} ${messages.map((item) => readText(item.content)).join(' ')}`,
		tools: readTools(body.tools),
		maxTokens: body.max_tokens as number,
		stops: (body.stop_sequences as string[] | undefined) ?? [],
	});
	const whole: Body = {
		id: `msg_${randomUUID()}`,
		type: 'message',
		role: 'assistant',
		content: toContent(completion),
		model,
		stop_reason: reasons[completion.endReason],
		stop_sequence: completion.sequence ?? null,
		usage: { input_tokens: completion.inputTokens, output_tokens: completion.outputTokens },
	};
	return { whole, events: createMessageEvents(whole, completion) };
}

const toContent = (completion: Completion): Body[] =>
	completion.endReason === 'tool'
		? completion.calls.map((toolCall) => ({
				type: 'tool_use',
				id: `toolu_${randomUUID()}`,
				name: toolCall.name,
				input: toolCall.arguments,
			}))
		: [{ type: 'text', text: completion.text }];

/** The shape of events is not shown in the spec: the widespread one. */
function createMessageEvents(whole: Body, completion: Completion): ServerSentEvent[] {
	const event = (type: string, rest: Body = {}): ServerSentEvent => ({
		name: type,
		data: { type, ...rest },
	});
	const { stop_reason, stop_sequence, content, usage } = whole;
	const input_tokens = completion.inputTokens;
	const begun = {
		...whole,
		content: [],
		stop_reason: null,
		stop_sequence: null,
		usage: { input_tokens, output_tokens: 0 },
	};
	const blocks = (content as Body[]).flatMap((block, index) => {
		const tool = block.type === 'tool_use';
		const deltas = tool
			? [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
			: completion.pieces.map((text) => ({ type: 'text_delta', text }));
		return [
			event('content_block_start', {
				index,
				content_block: tool ? { ...block, input: {} } : { ...block, text: '' },
			}),
			...deltas.map((delta) => event('content_block_delta', { index, delta })),
			event('content_block_stop', { index }),
		];
	});
	return [
		event('message_start', { message: begun }),
		...blocks,
		event('message_delta', { delta: { stop_reason, stop_sequence }, usage }),
		event('message_stop'),
	];
}
