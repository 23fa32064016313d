import { isObject, type JsonObject } from '../json';
import type { TextResult, ToolCall } from './schema';
import type { StreamParser } from './streamParser';

/** A file of a message. */
export interface MessageFile {
	/** e.g. `image/png` */
	type: string;
	base64: string;
	/** Instead of base64, where the endpoint takes links only. */
	url?: string;
}

/** A message for any endpoint. */
export interface TextMessage {
	role: string;
	text: string;
	imageUrls: string[];
	videoUrls: string[];
	files: MessageFile[];
	/** Functions that the model has called. */
	toolCalls?: ToolCall[];
	/** The message is the result of a function. */
	toolResult?: { id?: string; text: string };
}

/** A function that the model may call: spec section 2.5. */
export interface ToolDefinition {
	name: string;
	description?: string;
	/** JSON schema of its arguments. */
	parameters: JsonObject;
}

/** A request to any endpoint. */
export interface TextRequest {
	model: string;
	/** To be converted to the format of the endpoint, or in it already. */
	messages: TextMessage[] | { raw: unknown[] };
	/** Instructions for the whole conversation; as blocks only at the messages-style endpoint. */
	system: string | JsonObject[];
	/** Parameters of the endpoint under their wire names. */
	parameters: JsonObject;
	/** The answer is to be JSON, of a schema where one is given. */
	json?: { schema?: JsonObject };
	tools?: ToolDefinition[];
	/** Further parameters. What is stated above wins. */
	extraBody?: JsonObject;
}

/** One text endpoint: how requests are written and responses are read. */
export interface TextAdapter {
	path: (model: string) => string;
	toRequest: (request: TextRequest) => JsonObject;
	/** Undefined when there is no answer in it. */
	parseResponse: (body: JsonObject) => TextResult | undefined;
	/** Why a response with status 200 has no answer, as an object with an error. */
	findFailure: (body: JsonObject) => unknown;
	/** Undefined where the endpoint does not stream. */
	createStreamParser?: () => StreamParser;
}

/** For endpoints without a parameter for JSON. */
export const jsonInstruction = ({ schema }: NonNullable<TextRequest['json']>): string =>
	`Answer with JSON only, without any other text.${schema ? ` It must match this JSON schema: ${JSON.stringify(schema)}` : ''}`;

/** A data URI in base64 as a file. Undefined for any other text. */
export function readDataUri(text: string): MessageFile | undefined {
	const [, type, base64] = /^data:([^;,]*)[^,]*;base64,(.*)$/is.exec(text) ?? [];
	return type === undefined || base64 === undefined ? undefined : { type, base64 };
}

export const toDataUri = ({ type, base64 }: MessageFile): string => `data:${type};base64,${base64}`;

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
