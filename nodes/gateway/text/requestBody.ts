import { isObject, type JsonObject } from '../json';
import type { MessageFile, TextMessage, TextRequest, ToolDefinition } from './adapter';
import type { ToolCall } from './schema';

/** For endpoints without a parameter for JSON. */
export const jsonInstruction = ({ schema }: NonNullable<TextRequest['json']>): string =>
	`Answer with JSON only, without any other text.${schema ? ` It must match this JSON schema: ${JSON.stringify(schema)}` : ''}`;

/** A data URI in base64 as a file. Undefined for any other text. */
export function readDataUri(text: string): MessageFile | undefined {
	const [, type, base64] = /^data:([^;,]*)(?:;[^;,]*)*;base64,(.*)$/is.exec(text) ?? [];
	return type === undefined || base64 === undefined ? undefined : { type, base64 };
}

/** A link to a file, or the file itself as a data URI. */
export const toLink = ({ type, base64, url }: MessageFile): string =>
	url ?? `data:${type};base64,${base64}`;

/** Merges two bodies, and the objects in them. The second one wins. */
export function mergeBodies(first: JsonObject, second: JsonObject): JsonObject {
	const merged: JsonObject = { ...first };
	for (const [name, value] of Object.entries(second)) {
		const known = merged[name];
		merged[name] = isObject(known) && isObject(value) ? mergeBodies(known, value) : value;
	}
	return merged;
}

/** The messages in the format of an endpoint. */
export function toMessages(
	messages: TextRequest['messages'],
	toMessage: (message: TextMessage) => JsonObject | JsonObject[],
): JsonObject[] {
	if (!Array.isArray(messages)) return messages.raw as JsonObject[];
	return messages.flatMap<JsonObject>(toMessage);
}

/** The functions of a request: `function{name, description, parameters}`. */
export const toTools = (tools: readonly ToolDefinition[]): JsonObject =>
	tools.length ? { tools: tools.map((tool) => ({ type: 'function', function: tool })) } : {};

/** Arguments as text, as they are sent back to the model. */
export const argumentsText = ({ arguments: given }: ToolCall): string =>
	typeof given === 'string' ? given : JSON.stringify(given ?? {});
