import { z } from 'zod';
import { isObject, parseJson, type JsonObject } from '../json';
import {
	argumentsText,
	mergeBodies,
	toDataUri,
	toMessages,
	toTools,
	type TextAdapter,
	type TextMessage,
	type TextRequest,
} from './adapter';
import {
	count,
	findError,
	findImages,
	joinParts,
	listAt,
	listOf,
	object,
	objectAt,
	optional,
	pick,
	quota,
	text,
	textAt,
	toUsage,
	type TextResult,
} from './schema';
import { StreamParser } from './streamParser';

/** Calls and results of functions are not shown in the spec. These are the usual ones. */
function toItems(message: TextMessage): JsonObject[] {
	const { role, text: words, imageUrls, videoUrls, files, toolCalls = [], toolResult } = message;
	if (toolResult)
		return [{ type: 'function_call_output', call_id: toolResult.id, output: toolResult.text }];
	const content = [
		...(words ? [{ type: 'input_text', text: words }] : []),
		...imageUrls.map((image_url) => ({ type: 'input_image', image_url })),
		...videoUrls.map((video_url) => ({ type: 'input_video', video_url })),
		...files.map((file) =>
			file.type.startsWith('video/')
				? { type: 'input_video', video_url: file.url ?? toDataUri(file) }
				: { type: 'input_image', image_url: toDataUri(file) },
		),
	];
	const calls = toolCalls.map((toolCall) => ({
		type: 'function_call',
		call_id: toolCall.id,
		name: toolCall.name,
		arguments: argumentsText(toolCall),
	}));
	return [...(content.length ? [{ role, content }] : []), ...calls];
}

function toRequest(request: TextRequest) {
	const { model, messages, system, parameters, json, tools = [], extraBody = {} } = request;
	const format = json?.schema
		? { type: 'json_schema', name: 'answer', schema: json.schema }
		: { type: 'json_object' };
	const instructions = system
		? [{ role: 'system', content: [{ type: 'input_text', text: system }] }]
		: [];
	return mergeBodies(extraBody, {
		model,
		input: [...instructions, ...toMessages(messages, toItems)],
		...toTools(tools),
		...(json && { text: { format } }),
		...parameters,
	});
}

const Output = object({
	type: text,
	content: z.unknown(),
	name: text,
	arguments: z.unknown(),
	call_id: text,
	id: text,
});
const Response = object({
	id: text,
	model: text,
	status: text,
	output: listOf(Output),
	usage: optional(
		object({ input_tokens: count, output_tokens: count, total_tokens: count, cost: quota }),
	),
	cost: quota,
});

function parseResponse(raw: JsonObject): TextResult | undefined {
	if (!Array.isArray(raw.output)) return undefined;
	const { id, model, status, output, usage, cost } = Response.parse(raw);
	const messages = output.filter(
		({ type, content }) => type === 'message' || (type === undefined && content),
	);
	return {
		id,
		model,
		texts: [messages.map(({ content }) => joinParts(content)).join('\n')],
		images: findImages(
			[...messages.flatMap(({ content }) => content), ...output],
			({ type }) => type === 'output_image',
		),
		finishReason: status,
		toolCalls: output
			.filter(({ type }) => type === 'function_call')
			.map((toolCall) => ({
				id: toolCall.call_id ?? toolCall.id,
				name: toolCall.name ?? '',
				arguments: parseJson(toolCall.arguments),
			})),
		usage: toUsage(usage?.input_tokens, usage?.output_tokens, usage?.total_tokens),
		cost: cost ?? usage?.cost,
		raw,
	};
}

/** Statuses without an answer: spec sections 2.5 and 3. */
const FAILED_STATES = new Map([
	['failed', 'The response failed'],
	['cancelled', 'The response was cancelled'],
]);

function findFailure(raw: JsonObject): unknown {
	const state = FAILED_STATES.get(textAt(raw, 'status'));
	return findError(raw) ?? (state && { error: state });
}

class ResponseStreamParser extends StreamParser {
	private words = '';
	private head: JsonObject = {};
	private readonly toolCalls: JsonObject[] = [];
	/** The whole response, from the last event. */
	private final: JsonObject | undefined;

	protected add(chunk: JsonObject, type: string): string {
		if (isObject(chunk.response)) this.addResponse(type, chunk.response);
		const item = objectAt(chunk, 'item');
		if (type.endsWith('output_item.done') && item.type === 'function_call')
			this.toolCalls.push(item);
		if (!type.endsWith('output_text.delta')) return '';
		const added = textAt(chunk, 'delta');
		this.words += added;
		return added;
	}

	private addResponse(type: string, response: JsonObject): void {
		this.head = { ...this.head, ...pick(response, ['id', 'model', 'created_at']) };
		const [, state] = /\.(completed|incomplete|failed|cancelled)$/.exec(type) ?? [];
		if (!state) return;
		this.end();
		this.failure ??= findFailure({ status: state, ...response });
		this.final = response;
	}

	result(): TextResult {
		const result = this.final && parseResponse(this.final);
		// A failed response does not repeat its text, nor do some others.
		if (result && (result.texts[0] || !this.words)) return result;
		const content = [{ type: 'output_text', text: this.words }];
		const status = this.isComplete ? 'completed' : 'in_progress';
		const known = this.final ? listAt(this.final, 'output') : this.toolCalls;
		const output = [...known, { type: 'message', content }];
		return parseResponse({ ...this.head, status, ...this.final, output })!;
	}
}

/** The responses-style endpoint: spec section 2.5. */
export const respond: TextAdapter = {
	path: () => '/v1/responses',
	toRequest,
	parseResponse,
	findFailure,
	createStreamParser: () => new ResponseStreamParser(),
};
