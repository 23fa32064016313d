import { isObject, listAt, objectAt, parseJson, pick, textAt, type JsonObject } from '../json';
import type { TextAdapter, TextMessage, TextRequest } from './adapter';
import { argumentsText, mergeBodies, toLink, toMessages, toTools } from './requestBody';
import { findError, findImages, joinParts, readFacts, omitEmpty, type TextResult } from './schema';
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
				? { type: 'input_video', video_url: toLink(file) }
				: {
						type: 'input_image',
						image_url: toLink(file),
						...(file.detail && { detail: file.detail }),
					},
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
		...(json && (json.schema || !objectAt(extraBody, 'text').format) && { text: { format } }),
		...parameters,
	});
}

function parseResponse(raw: JsonObject): TextResult | undefined {
	if (!Array.isArray(raw.output)) return undefined;
	const output = raw.output.filter(isObject);
	const messages = output.filter(isMessage);
	const parts = messages.flatMap(({ content }) => content);
	return {
		...readFacts(raw, 'input_tokens', 'output_tokens', 'total_tokens'),
		texts: [messages.map(({ content }) => joinParts(content)).join('\n')],
		images: findImages([...parts, ...output], isPicture),
		annotations: omitEmpty(parts.flatMap((part) => listAt(part, 'annotations'))),
		finishReasons: [textAt(raw, 'status')],
		toolCalls: output.filter(isCall).map((toolCall) => ({
			id: textAt(toolCall, 'call_id') ?? textAt(toolCall, 'id'),
			name: textAt(toolCall, 'name') ?? '',
			arguments: parseJson(toolCall.arguments),
		})),
	};
}

/** Statuses without an answer: spec sections 2.5 and 3. */
const FAILED_STATES = new Map([
	['failed', 'The response failed'],
	['cancelled', 'The response was cancelled'],
	['in_progress', 'The response is still in progress'],
]);

function findFailure(raw: JsonObject): unknown {
	const status = textAt(raw, 'status') ?? '';
	const hasAnswer = listAt(raw, 'output').some((item) => textAt(item, 'type') !== 'reasoning');
	const state = status === 'in_progress' && hasAnswer ? undefined : FAILED_STATES.get(status);
	return findError(raw) ?? (state && { error: state });
}

const isCall = ({ type }: JsonObject): boolean => type === 'function_call';
const isPicture = (part: unknown): boolean => textAt(part, 'type') === 'output_image';
const isMessage = ({ type, content }: JsonObject): boolean =>
	type === 'message' || (typeof type !== 'string' && Boolean(content));

class ResponseStreamParser extends StreamParser {
	private head: JsonObject = {};
	private hasDeltas = false;
	/** Messages and calls that have ended. */
	private readonly items: JsonObject[] = [];
	/** The whole response, from the last event. */
	private final: JsonObject | undefined;

	protected add(chunk: JsonObject, type: string): string {
		if (isObject(chunk.response)) this.addResponse(type, chunk.response);
		// Some gateways send a whole response as one event.
		if (Array.isArray(chunk.output))
			this.addResponse(`.${textAt(chunk, 'status') || 'completed'}`, chunk);
		if (type.endsWith('output_item.done')) this.items.push(objectAt(chunk, 'item'));
		return this.wordsOf(chunk, type);
	}

	/** Some gateways send words as a whole, without pieces before it. */
	private wordsOf(chunk: JsonObject, type: string): string {
		const [, event] = /(?:output_text|refusal)\.(delta|done)$/.exec(type) ?? [];
		const delta = event === 'delta' ? (textAt(chunk, 'delta') ?? '') : '';
		this.hasDeltas ||= delta !== '';
		const isWhole = event === 'done' && !this.hasDeltas;
		return isWhole ? (textAt(chunk, 'text') ?? textAt(chunk, 'refusal') ?? '') : delta;
	}

	private addResponse(type: string, response: JsonObject): void {
		this.head = { ...this.head, ...pick(response, ['id', 'model', 'created_at']) };
		const [, state] = /\.(completed|incomplete|failed|cancelled)$/.exec(type) ?? [];
		if (!state) return;
		this.end();
		const { status = state } = response;
		// Some gateways repeat the first event in the last one.
		this.final = { ...response, status: status === 'in_progress' ? state : status };
		this.failure ??= findFailure(this.final);
	}

	/** The last event may repeat the whole answer, a part of it or nothing. */
	result(): TextResult {
		const { final = {}, items, words, head } = this;
		const listed = listAt(final, 'output').filter(isObject);
		const isMissing = ({ type }: JsonObject) => !listed.some((item) => item.type === type);
		const status = this.isComplete ? 'completed' : 'in_progress';
		const toResult = (output: JsonObject[]) =>
			parseResponse({ ...head, status, ...final, output })!;
		const known = [...listed, ...items.filter(isMissing)];
		const result = toResult(known);
		if (toResult(listed).texts[0] || !words) return result;
		// A message that has not ended is only in the words.
		const { annotations } = result;
		const text = { type: 'output_text', text: words, ...(annotations && { annotations }) };
		const parts = known.filter(isMessage).flatMap(({ content }) => content);
		const content = [text, ...parts.filter(isPicture)];
		return toResult([...known.filter((item) => !isMessage(item)), { type: 'message', content }]);
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
