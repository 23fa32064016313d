import { isObject } from '../json';
import type { JsonObject } from '../context';
import type { SseEvent } from './sse';
import { type TextResult, type ToolCall } from './schema';

/** A file of a message, read in. */
export interface MessageFile {
	/** Media type, e.g. `image/png`. */
	type: string;
	base64: string;
	/** In the place of base64, where the endpoint takes links only. */
	url?: string;
}

/** One message, whatever the endpoint. */
export interface TextMessage {
	role: string;
	text: string;
	imageUrls: string[];
	videoUrls: string[];
	files: MessageFile[];
	/** Functions that the model has called in this message. */
	toolCalls?: ToolCall[];
	/** This message is the result of a function, not words. */
	toolResult?: { id?: string; text: string };
}

/** A function that the model may call: spec section 2.5. */
export interface ToolDefinition {
	name: string;
	description?: string;
	/** JSON schema of its arguments. */
	parameters: JsonObject;
}

/** A request to a model, whatever the endpoint. */
export interface TextRequest {
	model: string;
	/** Messages to convert to the format of the endpoint, or messages that have it already. */
	messages: TextMessage[] | { raw: unknown[] };
	/** How the model should behave in the whole conversation. */
	system: string;
	/** Parameters of the endpoint under their wire names. */
	parameters: JsonObject;
	/** The answer should be JSON, of a schema where one is given. */
	json?: { schema?: JsonObject };
	tools?: ToolDefinition[];
	/** Further parameters of the body; what is stated above wins. */
	extraBody?: JsonObject;
}

/**
 * Reads the events of one streamed answer. Their shapes are not shown (spec section 6), so the usual
 * ones are read and others passed over.
 */
export interface TextStreamParser {
	/** Takes an event and gives the text it adds to the first alternative. */
	push(event: SseEvent): string;
	/** The answer is whole; a stream that just stops has broken off. */
	readonly isComplete: boolean;
	/** Nothing of the answer comes any more, though the connection may stay open. */
	readonly hasEnded: boolean;
	/** Something of the answer has come. */
	readonly hasStarted: boolean;
	/** What the stream said when it could not go on: an object that holds an error. */
	readonly failure: unknown;
	/** The answer so far. */
	result(): TextResult;
}

/** One text endpoint: how a request is worded, and how its answers are read. */
export interface TextAdapter {
	path: (model: string) => string;
	toRequest: (request: TextRequest) => JsonObject;
	/** Reads a whole response; undefined when it holds no answer. */
	parseResponse: (body: JsonObject) => TextResult | undefined;
	/** Why a response of status 200 holds no answer, as an object with an error; undefined when it holds one. */
	findFailure: (body: JsonObject) => unknown;
	/** Undefined where the endpoint does not stream. */
	createStreamParser?: () => TextStreamParser;
}

/** `{ error }` of a response with status 200. */
export const findError = ({ error }: JsonObject): unknown => (error ? { error } : undefined);

/** The instruction to answer in JSON, for endpoints that document no parameter for it. */
export const jsonInstruction = ({ schema }: NonNullable<TextRequest['json']>): string =>
	`Answer with JSON only, without any other text.${schema ? ` It must match this JSON schema: ${JSON.stringify(schema)}` : ''}`;

export const toDataUri = ({ type, base64 }: MessageFile): string => `data:${type};base64,${base64}`;

/** Two bodies as one, objects within them too; where both state a value, the second wins. */
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

/** Arguments as text: the form in which they are sent back to the model. */
export const argumentsText = ({ arguments: given }: ToolCall): string =>
	typeof given === 'string' ? given : JSON.stringify(given ?? {});
