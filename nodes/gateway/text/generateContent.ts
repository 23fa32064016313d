import { isBlank, isObject, listAt, numberAt, objectAt, textAt, type JsonObject } from '../json';
import { readQuota } from '../quota';
import type { TextAdapter, TextMessage, TextRequest } from './adapter';
import { jsonInstruction, mergeBodies, toMessages } from './requestBody';
import { findError, findImages, joinParts, toUsage, type TextResult } from './schema';

function toContent({ role, text: words, files }: TextMessage): JsonObject {
	return {
		role,
		parts: [
			...(words ? [{ text: words }] : []),
			...files.map(({ type, base64 }) => ({ inlineData: { mimeType: type, data: base64 } })),
		],
	};
}

/** A message with a text before its parts or after them. JSON may give one part, or its text. */
function addText(content: JsonObject = {}, before: unknown, after: string): JsonObject {
	const parts = [before, content.parts, after].flat().filter((part) => !isBlank(part));
	return { ...content, parts: parts.map((part) => (isObject(part) ? part : { text: part })) };
}

/** Instructions and JSON have no parameter, so they are in the messages. */
function toRequest({ messages, system, parameters, json, extraBody = {} }: TextRequest) {
	const contents = [...toMessages(messages, toContent)];
	const found = contents.findIndex(({ role }) => role !== 'model');
	const at = Math.max(0, found);
	if (system) contents[at] = addText(contents[at], system, '');
	if (json) contents.push(addText(contents.pop(), '', jsonInstruction(json)));
	const { safetySettings, ...config } = parameters;
	return mergeBodies(extraBody, {
		contents,
		...(Object.keys(config).length && { generationConfig: config }),
		...(safetySettings !== undefined && { safetySettings }),
	});
}

function parseResponse(raw: JsonObject): TextResult | undefined {
	const candidates = listAt(raw, 'candidates').filter(isObject);
	if (!candidates.length) return undefined;
	// What the model thought is no part of its answer.
	const parts = candidates.map(({ content }) =>
		listAt(content, 'parts')
			.filter(isObject)
			.filter(({ thought }) => thought !== true),
	);
	const { usageMetadata: usage } = raw;
	const [input, total] = [numberAt(usage, 'promptTokenCount'), numberAt(usage, 'totalTokenCount')];
	const written = numberAt(usage, 'candidatesTokenCount');
	// Thinking is output too, but only the total counts it.
	const output =
		input !== undefined && total !== undefined ? Math.max(written ?? 0, total - input) : written;
	return {
		model: textAt(raw, 'modelVersion'),
		texts: parts.map(joinParts),
		images: findImages(parts.flat(), ({ inlineData }) => inlineData !== undefined),
		finishReasons: candidates.map((candidate) => textAt(candidate, 'finishReason')),
		toolCalls: parts
			.flat()
			.flatMap(({ functionCall: called }) =>
				isObject(called) ? [{ name: textAt(called, 'name') ?? '', arguments: called.args }] : [],
			),
		usage: toUsage(input, output, total),
		cost: readQuota(raw.cost),
		raw,
	};
}

function findFailure(raw: JsonObject): unknown {
	const reason = textAt(objectAt(raw, 'promptFeedback'), 'blockReason');
	const isBlocked = reason && !listAt(raw, 'candidates').length;
	return (
		findError(raw) ?? (isBlocked ? { error: `The prompt was blocked (${reason})` } : undefined)
	);
}

/** The native generateContent endpoint, which does not stream: spec section 2.5. */
export const generateContent: TextAdapter = {
	path: (model) => `/v1/models/${encodeURIComponent(model)}:generateContent`,
	toRequest,
	parseResponse,
	findFailure,
};
