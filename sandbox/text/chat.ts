import { randomUUID } from 'node:crypto';
import { chatModels } from '../models';
import { HttpError } from '../httpError';
import { flag, real, whole } from '../rules/checks';
import type { Body, Settings } from '../settings';
import { complete, type Completion, type TextRequest, type Tool } from './completion';
import { checkList, checkModel, checkParams, isObject, stops } from './params';
import type { ServerSentEvent } from './stream';

const params = {
	temperature: real(0, 2),
	top_p: real(0, 1),
	frequency_penalty: real(-2, 2),
	presence_penalty: real(-2, 2),
	max_tokens: whole(0),
	n: whole(1),
	stream: flag,
	stop: stops(4),
};

/** The text of a `content`: a string, or the text parts of an array. */
export function readText(content: unknown): string {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return '';
	return content
		.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : ''))
		.join('');
}

function checkMessage(message: unknown, settings: Settings): Body {
	if (!isObject(message)) throw new HttpError(400, 'messages entries must be objects.', 'messages');
	const roles = ['system', 'user', 'assistant', ...(settings.acceptToolRole ? ['tool'] : [])];
	if (!roles.includes(String(message.role))) {
		throw new HttpError(400, `messages entries have a role of ${roles.join(', ')}.`, 'messages');
	}
	const { content } = message;
	const silent = message.role === 'assistant' && Array.isArray(message.tool_calls);
	const parts =
		Array.isArray(content) &&
		content.every((part) => isObject(part) && typeof part.type === 'string');
	if (
		typeof content !== 'string' &&
		!parts &&
		!(silent && (content === null || content === undefined))
	) {
		throw new HttpError(400, 'content must be a string or an array of parts.', 'messages');
	}
	return message;
}

export function readTools(tools: unknown): Tool[] {
	if (!Array.isArray(tools)) return [];
	return tools.flatMap((tool) => {
		const spec = isObject(tool) && isObject(tool.function) ? tool.function : tool;
		return isObject(spec) && typeof spec.name === 'string'
			? [{ name: spec.name, schema: spec.parameters }]
			: [];
	});
}

function readJsonFormat(format: unknown): TextRequest['json'] {
	if (!isObject(format)) return undefined;
	if (format.type === 'json_object') return {};
	if (format.type !== 'json_schema') return undefined;
	return { schema: isObject(format.json_schema) ? format.json_schema.schema : format.schema };
}

export interface ChatResponse {
	whole: Body;
	events: ServerSentEvent[];
}

/** Section 2.5, chat completions: the reply in one piece and as a stream. */
export function chat(body: Body, settings: Settings): ChatResponse {
	const model = checkModel(body.model, chatModels, settings);
	const messages = checkList(body.messages, 'messages').map((message) =>
		checkMessage(message, settings),
	);
	checkParams(body, params);
	const last = messages.at(-1) as Body;
	const results =
		last.role === 'tool'
			? takeToolMessages(messages).map((message) => readText(message.content))
			: undefined;
	const completion = complete({
		model,
		text: readText(messages.filter((message) => message.role === 'user').at(-1)?.content),
		results,
		allText: messages.map((message) => readText(message.content)).join(' '),
		tools: readTools(body.tools),
		json: readJsonFormat(body.response_format),
		maxTokens: typeof body.max_tokens === 'number' ? body.max_tokens : undefined,
		stops: [body.stop ?? []].flat() as string[],
	});
	const count = typeof body.n === 'number' ? body.n : 1;
	const head = {
		id: `chatcmpl-${randomUUID()}`,
		created: Math.floor(settings.now() / 1000),
		model,
		system_fingerprint: 'fp_sandbox',
	};
	const usage = toUsage(completion, count);
	const reason =
		completion.endReason === 'tool'
			? settings.toolFinishReason
			: completion.endReason === 'length'
				? 'length'
				: 'stop';
	const choices = Array.from({ length: count }, (_, index) => ({
		index,
		message: toMessage(completion),
		logprobs: null,
		finish_reason: reason,
	}));
	const wantsUsage = isObject(body.stream_options) && body.stream_options.include_usage === true;
	return {
		whole: { ...head, object: 'chat.completion', choices, usage },
		events: createChunks(head, completion, reason, count, wantsUsage ? usage : undefined),
	};
}

/** The tool messages at the end. */
function takeToolMessages(messages: Body[]): Body[] {
	const lastOther = messages.map((message) => message.role !== 'tool').lastIndexOf(true);
	return messages.slice(lastOther + 1);
}

const toToolCalls = (completion: Completion): Body[] =>
	completion.calls.map((toolCall) => ({
		id: `call_${randomUUID()}`,
		type: 'function',
		function: { name: toolCall.name, arguments: JSON.stringify(toolCall.arguments) },
	}));

function toMessage(completion: Completion): Body {
	if (completion.endReason !== 'tool') return { role: 'assistant', content: completion.text };
	return { role: 'assistant', content: null, tool_calls: toToolCalls(completion) };
}

function toUsage({ inputTokens, outputTokens }: Completion, count: number): Body {
	const out = outputTokens * count;
	return {
		prompt_tokens: inputTokens,
		completion_tokens: out,
		total_tokens: inputTokens + out,
		prompt_tokens_details: {
			cached_tokens: 0,
			text_tokens: inputTokens,
			audio_tokens: 0,
			image_tokens: 0,
		},
		completion_tokens_details: { text_tokens: out, audio_tokens: 0, reasoning_tokens: 0 },
	};
}

/** The shape of chunks is not shown in the spec: the widespread one. */
function createChunks(
	head: Body,
	completion: Completion,
	reason: string,
	count: number,
	usage?: Body,
): ServerSentEvent[] {
	const chunk = (index: number, delta: Body, finish: string | null = null): ServerSentEvent => ({
		data: {
			...head,
			object: 'chat.completion.chunk',
			choices: [{ index, delta, logprobs: null, finish_reason: finish }],
		},
	});
	const events: ServerSentEvent[] = [];
	for (let index = 0; index < count; index++) {
		events.push(
			chunk(index, { role: 'assistant', content: completion.endReason === 'tool' ? null : '' }),
		);
		for (const content of completion.pieces) events.push(chunk(index, { content }));
		toToolCalls(completion).forEach((toolCall, at) =>
			events.push(chunk(index, { tool_calls: [{ index: at, ...toolCall }] })),
		);
		events.push(chunk(index, {}, reason));
	}
	if (usage)
		events.push({ data: { ...head, object: 'chat.completion.chunk', choices: [], usage } });
	return [...events, { data: '[DONE]' }];
}
