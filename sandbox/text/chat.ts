import { randomUUID } from 'node:crypto';
import { chatModels } from '../models';
import { Refusal } from '../httpError';
import { flag, real, whole } from '../rules/checks';
import type { Body, Settings } from '../settings';
import { answer, type Answer, type Question, type Tool } from './completion';
import { checkList, checkModel, checkParams, isObject, stops } from './params';
import type { Event } from './stream';

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
export function textOf(content: unknown): string {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return '';
	return content
		.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : ''))
		.join('');
}

function checkMessage(message: unknown, settings: Settings): Body {
	if (!isObject(message)) throw new Refusal(400, 'messages entries must be objects.', 'messages');
	const roles = ['system', 'user', 'assistant', ...(settings.acceptToolRole ? ['tool'] : [])];
	if (!roles.includes(String(message.role))) {
		throw new Refusal(400, `messages entries have a role of ${roles.join(', ')}.`, 'messages');
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
		throw new Refusal(400, 'content must be a string or an array of parts.', 'messages');
	}
	return message;
}

export function toolsOf(tools: unknown): Tool[] {
	if (!Array.isArray(tools)) return [];
	return tools.flatMap((tool) => {
		const spec = isObject(tool) && isObject(tool.function) ? tool.function : tool;
		return isObject(spec) && typeof spec.name === 'string'
			? [{ name: spec.name, schema: spec.parameters }]
			: [];
	});
}

function jsonOf(format: unknown): Question['json'] {
	if (!isObject(format)) return undefined;
	if (format.type === 'json_object') return {};
	if (format.type !== 'json_schema') return undefined;
	return { schema: isObject(format.json_schema) ? format.json_schema.schema : format.schema };
}

export interface ChatReply {
	whole: Body;
	events: Event[];
}

/** Section 2.5, chat completions: the reply in one piece and as a stream. */
export function chat(body: Body, settings: Settings): ChatReply {
	const model = checkModel(body.model, chatModels, settings);
	const messages = checkList(body.messages, 'messages').map((entry) =>
		checkMessage(entry, settings),
	);
	checkParams(body, params);
	const last = messages.at(-1) as Body;
	const results =
		last.role === 'tool' ? trailing(messages).map((entry) => textOf(entry.content)) : undefined;
	const found = answer({
		model,
		text: textOf(messages.filter((entry) => entry.role === 'user').at(-1)?.content),
		results,
		all: messages.map((entry) => textOf(entry.content)).join(' '),
		tools: toolsOf(body.tools),
		json: jsonOf(body.response_format),
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
	const usage = usageOf(found, count);
	const reason =
		found.end === 'tool' ? settings.toolFinishReason : found.end === 'length' ? 'length' : 'stop';
	const choices = Array.from({ length: count }, (_, index) => ({
		index,
		message: messageOf(found),
		logprobs: null,
		finish_reason: reason,
	}));
	const wantsUsage = isObject(body.stream_options) && body.stream_options.include_usage === true;
	return {
		whole: { ...head, object: 'chat.completion', choices, usage },
		events: chunks(head, found, reason, count, wantsUsage ? usage : undefined),
	};
}

/** The tool messages at the end. */
function trailing(messages: Body[]): Body[] {
	const asked = messages.map((entry) => entry.role !== 'tool').lastIndexOf(true);
	return messages.slice(asked + 1);
}

const callsOf = (found: Answer): Body[] =>
	found.calls.map((call, index) => ({
		id: `call_${index}_${call.name}`,
		type: 'function',
		function: { name: call.name, arguments: JSON.stringify(call.arguments) },
	}));

function messageOf(found: Answer): Body {
	if (found.end !== 'tool') return { role: 'assistant', content: found.text };
	return { role: 'assistant', content: null, tool_calls: callsOf(found) };
}

function usageOf({ inputTokens, outputTokens }: Answer, count: number): Body {
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
function chunks(head: Body, found: Answer, reason: string, count: number, usage?: Body): Event[] {
	const chunk = (index: number, delta: Body, finish: string | null = null): Event => ({
		data: {
			...head,
			object: 'chat.completion.chunk',
			choices: [{ index, delta, logprobs: null, finish_reason: finish }],
		},
	});
	const events: Event[] = [];
	for (let index = 0; index < count; index++) {
		events.push(chunk(index, { role: 'assistant', content: found.end === 'tool' ? null : '' }));
		for (const content of found.pieces) events.push(chunk(index, { content }));
		callsOf(found).forEach((call, at) =>
			events.push(chunk(index, { tool_calls: [{ index: at, ...call }] })),
		);
		events.push(chunk(index, {}, reason));
	}
	if (usage)
		events.push({ data: { ...head, object: 'chat.completion.chunk', choices: [], usage } });
	return [...events, { data: '[DONE]' }];
}
