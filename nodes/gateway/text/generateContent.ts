import { z } from 'zod';
import type { JsonObject } from '../context';
import {
	findError,
	jsonInstruction,
	mergeBodies,
	toMessages,
	type TextAdapter,
	type TextMessage,
	type TextRequest,
} from './adapter';
import {
	count,
	findImages,
	joinParts,
	listOf,
	object,
	optional,
	text,
	toUsage,
	type TextResult,
} from './schema';

function toContent({ role, text: words, files }: TextMessage): JsonObject {
	return {
		role,
		parts: [
			...(words ? [{ text: words }] : []),
			...files.map(({ type, base64 }) => ({ inlineData: { mimeType: type, data: base64 } })),
		],
	};
}

/** Adds a text before or after the parts. */
function addPart(content: JsonObject | undefined, words: string, where: 'first' | 'last') {
	if (!content || !words) return content;
	const parts = Array.isArray(content.parts) ? (content.parts as unknown[]) : [];
	const part = { text: words };
	return { ...content, parts: where === 'first' ? [part, ...parts] : [...parts, part] };
}

/** Instructions and JSON have no parameter, so they are in the messages. */
function toRequest({ messages, system, parameters, json, extraBody = {} }: TextRequest) {
	const contents = [...toMessages(messages, toContent)];
	contents[0] = addPart(contents[0], system, 'first')!;
	contents.push(addPart(contents.pop(), json ? jsonInstruction(json) : '', 'last')!);
	const { safetySettings, ...config } = parameters;
	return mergeBodies(extraBody, {
		contents,
		...(Object.keys(config).length && { generationConfig: config }),
		...(safetySettings !== undefined && { safetySettings }),
	});
}

const Part = object({ text, functionCall: optional(object({ name: text, args: z.unknown() })) });
const Candidate = object({
	content: optional(object({ parts: listOf(Part) })),
	finishReason: text,
});
const GeneratedContent = object({
	candidates: listOf(Candidate),
	modelVersion: text,
	usageMetadata: optional(
		object({ promptTokenCount: count, candidatesTokenCount: count, totalTokenCount: count }),
	),
	cost: count,
});

function parseResponse(raw: JsonObject): TextResult | undefined {
	const { candidates, modelVersion, usageMetadata: usage, cost } = GeneratedContent.parse(raw);
	if (!candidates.length) return undefined;
	const parts = candidates.map(({ content }) => content?.parts ?? []);
	return {
		model: modelVersion,
		texts: parts.map(joinParts),
		images: findImages(parts.flat(), ({ inlineData }) => inlineData !== undefined),
		finishReason: candidates[0]?.finishReason,
		toolCalls: parts
			.flat()
			.flatMap(({ functionCall: toolCall }) =>
				toolCall ? [{ name: toolCall.name ?? '', arguments: toolCall.args }] : [],
			),
		usage: toUsage(usage?.promptTokenCount, usage?.candidatesTokenCount, usage?.totalTokenCount),
		cost,
		raw,
	};
}

/** The native generateContent endpoint, which does not stream: spec section 2.5. */
export const generateContent: TextAdapter = {
	path: (model) => `/v1/models/${encodeURIComponent(model)}:generateContent`,
	toRequest,
	parseResponse,
	findFailure: findError,
};
