import { isObject, listAt, objectAt, parseJson, pick, textAt, type JsonObject } from '../json';
import type { MessageFile, TextAdapter, TextMessage, TextRequest } from './adapter';
import { jsonInstruction, mergeBodies, readDataUri, toMessages } from './requestBody';
import { findError, joinParts, readFacts, type TextResult } from './schema';
import { StreamParser } from './streamParser';
import { ToolCallCollector } from './toolCallCollector';

const toSource = (file: MessageFile | undefined) =>
	file && { type: 'base64', media_type: file.type, data: file.base64 };

/** Blocks other than text are not shown in the spec. These are the usual ones. */
function toMessage({ role, text: words, imageUrls, files }: TextMessage): JsonObject {
	const sources = [
		...imageUrls.map((url) => toSource(readDataUri(url)) ?? { type: 'url', url }),
		...files.map(toSource),
	];
	const images = sources.map((source) => ({ type: 'image', source }));
	const blocks = [...images, ...(words ? [{ type: 'text', text: words }] : [])];
	return { role, content: images.length ? blocks : words };
}

/** JSON has no parameter, so it is in the instructions. */
function toSystem(given: unknown, json: TextRequest['json']): unknown {
	const text = json ? jsonInstruction(json) : '';
	if (isObject(given)) return toSystem([given], json);
	if (!Array.isArray(given)) return [given, text].filter(Boolean).join('\n\n');
	return text ? [...(given as unknown[]), { type: 'text', text }] : given;
}

function toRequest({ model, messages, system, parameters, json, extraBody = {} }: TextRequest) {
	const instructions = toSystem(system.length ? system : extraBody.system, json);
	return mergeBodies(extraBody, {
		model,
		messages: toMessages(messages, toMessage),
		...(instructions !== '' && { system: instructions }),
		...parameters,
	});
}

function parseResponse(raw: JsonObject): TextResult | undefined {
	const isText = typeof raw.content === 'string' && raw.type !== 'error' && !('code' in raw);
	if (!isText && !Array.isArray(raw.content)) return undefined;
	const blocks = listAt(raw, 'content').filter(isObject);
	return {
		...readFacts(raw, 'input_tokens', 'output_tokens'),
		texts: [joinParts(isText ? raw.content : blocks)],
		finishReasons: [textAt(raw, 'stop_reason')],
		toolCalls: blocks
			.filter(({ type }) => type === 'tool_use')
			.map((block) => ({
				id: textAt(block, 'id'),
				name: textAt(block, 'name') ?? '',
				arguments: block.input,
			})),
	};
}

class MessageStreamParser extends StreamParser {
	private readonly toolCalls = new ToolCallCollector();
	private head: JsonObject = {};
	/** The text with which the block has started. */
	private opening = '';
	private stopReason: string | undefined;

	protected add(chunk: JsonObject, type: string): string {
		// Some gateways send a whole message as one event.
		const whole = Array.isArray(chunk.content) ? chunk : {};
		const started = { ...whole, ...objectAt(chunk, 'message') };
		const delta = objectAt(chunk, 'delta');
		const more = { ...pick(chunk, ['cost']), ...pick(delta, ['stop_sequence']) };
		this.head = { ...this.head, ...started, ...more };
		this.addUsage(started, chunk);
		if (type === 'message_stop') this.end();
		this.addToolCall(type, chunk);
		const stopReason = textAt(delta, 'stop_reason') || textAt(whole, 'stop_reason');
		this.stopReason = stopReason || this.stopReason;
		this.isComplete ||= this.stopReason !== undefined;
		return this.wordsOf(chunk, type);
	}

	/** Some gateways start a block with its text, or with its first piece. */
	private wordsOf(chunk: JsonObject, type: string): string {
		const { opening } = this;
		const block = objectAt(chunk, 'content_block');
		this.opening = (block.type === 'text' && textAt(block, 'text')) || '';
		if (type !== 'content_block_delta') return opening;
		const words = textAt(objectAt(chunk, 'delta'), 'text') ?? '';
		return words.startsWith(opening) ? words : opening + words;
	}

	private addToolCall(type: string, chunk: JsonObject): void {
		const { index = 0 } = chunk;
		const { type: kind, id, name, input } = objectAt(chunk, 'content_block');
		// The input is empty where pieces of it follow.
		const whole = JSON.stringify(input ?? {}).replace(/^{}$/, '');
		if (type === 'content_block_start' && kind === 'tool_use')
			this.toolCalls.add({ index, id, function: { name, arguments: whole } });
		const { partial_json: piece } = objectAt(chunk, 'delta');
		if (typeof piece === 'string') this.toolCalls.add({ index, function: { arguments: piece } });
	}

	result(): TextResult {
		// Tools that the gateway runs itself add pieces without a name.
		const called = this.toolCalls.list.filter(({ name }) => name);
		const uses = called.map(({ id, name, arguments: words }) => ({
			type: 'tool_use',
			id,
			name,
			input: parseJson(words || '{}'),
		}));
		const { head, words, stopReason, usage } = this;
		const added = [...(words ? [{ type: 'text', text: words }] : []), ...uses];
		const content = added.length ? added : listAt(head, 'content');
		return parseResponse({ ...head, content, stop_reason: stopReason, usage })!;
	}
}

/** The messages-style endpoint: spec section 2.5. */
export const message: TextAdapter = {
	path: () => '/v1/messages',
	toRequest,
	parseResponse,
	findFailure: findError,
	createStreamParser: () => new MessageStreamParser(),
};
