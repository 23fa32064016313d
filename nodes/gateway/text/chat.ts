import {
	isObject,
	listAt,
	objectAt,
	omitBlank,
	parseJson,
	pick,
	textAt,
	type JsonObject,
} from '../json';
import type { TextAdapter, TextMessage, TextRequest } from './adapter';
import { argumentsText, mergeBodies, toLink, toMessages, toTools } from './requestBody';
import { findError, findImages, joinParts, readFacts, type TextResult } from './schema';
import { StreamParser } from './streamParser';
import { ToolCallCollector } from './toolCallCollector';

/**
 * Parts other than text, and calls and results of tools, are not shown in the spec. These are the usual ones. Some
 * models refuse the result of a call without the reasoning and the signature that came with it.
 */
function toMessage(message: TextMessage): JsonObject {
	const { role, text: words, imageUrls, files, toolCalls = [], toolResult } = message;
	if (toolResult) return { role: 'tool', tool_call_id: toolResult.id, content: toolResult.text };
	const calls = toolCalls.map((toolCall) => ({
		id: toolCall.id,
		type: 'function',
		function: { name: toolCall.name, arguments: argumentsText(toolCall) },
		...pick(toolCall.kept ?? {}, ['extra_content']),
	}));
	const toImage = (url: string, detail?: string) => ({
		type: 'image_url',
		image_url: { url, ...(detail && { detail }) },
	});
	const images = [
		...imageUrls.map((url) => toImage(url)),
		...files.map((file) => toImage(toLink(file), file.detail)),
	];
	const parts = [...(words ? [{ type: 'text', text: words }] : []), ...images];
	return {
		role,
		content: images.length ? parts : words,
		...(calls.length && { tool_calls: calls }),
		...pick(toolCalls[0]?.kept ?? {}, ['reasoning_content']),
	};
}

function toRequest(request: TextRequest) {
	const { model, messages, system, parameters, json, tools = [], extraBody = {} } = request;
	const instructions = system ? [{ role: 'system', content: system }] : [];
	const format = json?.schema
		? { type: 'json_schema', json_schema: { name: 'answer', schema: json.schema } }
		: { type: 'json_object' };
	return mergeBodies(extraBody, {
		model,
		messages: [...instructions, ...toMessages(messages, toMessage)],
		...toTools(tools),
		...(json && (json.schema || !extraBody.response_format) && { response_format: format }),
		...parameters,
	});
}

const wordsOf = (message: JsonObject): string =>
	joinParts(message.content) || (textAt(message, 'refusal') ?? '');

const isImage = (part: unknown): boolean => textAt(part, 'type') === 'image_url';

/** Arguments are JSON as text; some gateways send the object itself. */
function toToolCalls(message: JsonObject): TextResult['toolCalls'] {
	const calls = listAt(message, 'tool_calls').filter(isObject);
	// The older form. `finish_reason` names it (section 2.5).
	const { function_call: older } = message;
	return (calls.length || !isObject(older) ? calls : [{ function: older }]).map((toolCall) => {
		const kept = omitBlank({
			...pick(message, ['reasoning_content']),
			...pick(toolCall, ['extra_content']),
		});
		return {
			id: textAt(toolCall, 'id'),
			name: textAt(toolCall.function, 'name') ?? '',
			arguments: parseJson(objectAt(toolCall, 'function').arguments),
			...(Object.keys(kept).length && { kept }),
		};
	});
}

function parseResponse(raw: JsonObject): TextResult | undefined {
	const choices = listAt(raw, 'choices')
		.filter(isObject)
		.sort((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0));
	if (!choices.length) return undefined;
	const messages = choices.map((choice) => objectAt(choice, 'message'));
	return {
		...readFacts(raw, 'prompt_tokens', 'completion_tokens', 'total_tokens'),
		texts: choices.map((choice) =>
			isObject(choice.message) ? wordsOf(choice.message) : (textAt(choice, 'text') ?? ''),
		),
		images: findImages(
			messages.flatMap((message) => [message.content, listAt(message, 'images')].flat()),
			isImage,
		),
		finishReasons: choices.map((choice) => textAt(choice, 'finish_reason')),
		toolCalls: messages.flatMap(toToolCalls),
	};
}

/** How models end without an answer, beside the reasons of section 2.5. */
const FAILED_REASONS = /^(error|abort|network_error|insufficient_system_resource)$/;

function findChoiceError(choice: JsonObject): unknown {
	const reason = textAt(choice, 'finish_reason') ?? '';
	const ended = { error: `finish_reason is ${reason}` };
	return findError(choice) ?? (FAILED_REASONS.test(reason) ? ended : undefined);
}

/** Also where all alternatives have failed. */
function findFailure(raw: JsonObject): unknown {
	const errors = listAt(raw, 'choices').filter(isObject).map(findChoiceError);
	return findError(raw) ?? (errors.every(Boolean) ? errors[0] : undefined);
}

/** Repeated by every chunk, but the charge. */
const HEAD = ['id', 'model', 'created', 'system_fingerprint', 'cost'];

interface Alternative {
	content: string;
	reasoning: string;
	/** `{ error }` */
	failed?: object;
	finish_reason?: string;
	hasDeltas?: boolean;
}

class ChatStreamParser extends StreamParser {
	/** By index. Not a list: some gateways count from 1, and an index may be huge. */
	private readonly alternatives = new Map<number, Alternative>();
	private readonly toolCalls = new ToolCallCollector();
	private readonly images: unknown[] = [];
	private readonly head: JsonObject = {};

	protected add(chunk: JsonObject): string {
		Object.assign(this.head, omitBlank(pick(chunk, HEAD)));
		const choices = listAt(chunk, 'choices').filter(isObject);
		// Some gateways state the usage in a choice.
		this.addUsage(...choices, chunk);
		return choices.map((choice) => this.addChoice(choice)).join('');
	}

	/** Some gateways send a message instead: whole, in pieces, or so far. Others repeat it beside the deltas. */
	private deltaOf(choice: JsonObject, alternative: Alternative): JsonObject {
		const delta = objectAt(choice, 'delta');
		const hasCalls = 'tool_calls' in delta || 'function_call' in delta;
		alternative.hasDeltas ||= hasCalls || wordsOf(delta) !== '';
		if (alternative.hasDeltas) return delta;
		const message = objectAt(choice, 'message');
		const [words, known] = [wordsOf(message), alternative.content];
		const content = words.startsWith(known) ? words.slice(known.length) : words;
		return { ...(this.toolCalls.list.length ? {} : message), content };
	}

	/** A chunk may add to several alternatives. Those after the first are only collected. */
	private addChoice(choice: JsonObject): string {
		const index = Math.max(0, Number(choice.index) || 0);
		const alternative = this.alternatives.get(index) ?? { content: '', reasoning: '' };
		this.alternatives.set(index, alternative);
		const delta = this.deltaOf(choice, alternative);
		const { images, content, reasoning_content: reasoning } = objectAt(choice, 'delta');
		this.images.push(...[images ?? [], content ?? []].flat().filter(isImage));
		for (const toolCall of listAt(delta, 'tool_calls').filter(isObject))
			this.toolCalls.add(toolCall, index);
		if (isObject(delta.function_call)) this.toolCalls.add({ function: delta.function_call }, index);
		const added = wordsOf(delta) || (textAt(choice, 'text') ?? '');
		alternative.content += added;
		if (typeof reasoning === 'string') alternative.reasoning += reasoning;
		if (!alternative.finish_reason && findError(choice))
			alternative.failed = pick(choice, ['error']);
		alternative.finish_reason = textAt(choice, 'finish_reason') || alternative.finish_reason;
		const all = [...this.alternatives.values()];
		this.isComplete = all.every(({ finish_reason, failed }) => finish_reason ?? failed);
		return alternative === all[0] ? added : '';
	}

	result(): TextResult {
		const calls = this.toolCalls.list.map(({ id, extra_content, ...called }) => ({
			id,
			type: 'function',
			function: called,
			...(extra_content !== undefined && { extra_content }),
		}));
		const all = [...this.alternatives].sort(([a], [b]) => a - b).map(([, answer]) => answer);
		if (!all.length) all.push({ content: '', reasoning: '' });
		const choices = all.map(({ content, reasoning, finish_reason, failed }, index) => ({
			index,
			message: {
				role: 'assistant',
				content,
				...(reasoning && { reasoning_content: reasoning }),
				...(index === 0 && calls.length && { tool_calls: calls }),
				...(index === 0 && this.images.length && { images: this.images }),
			},
			finish_reason,
			...failed,
		}));
		const raw = { ...this.head, object: 'chat.completion', choices, usage: this.usage };
		return parseResponse(raw)!;
	}
}

/** Chat completions: spec section 2.5. */
export const chat: TextAdapter = {
	path: () => '/v1/chat/completions',
	toRequest,
	parseResponse,
	findFailure,
	createStreamParser: () => new ChatStreamParser(),
};
