import type { JsonObject } from '../json';
import type { TextResult, ToolCall } from './schema';
import type { StreamParser } from './streamParser';

/** A file of a message. */
export interface MessageFile {
	/** e.g. `image/png` */
	type: string;
	base64: string;
	/** Instead of base64, for chat and respond. */
	url?: string;
	/** How closely the model looks at an image, e.g. `low`. */
	detail?: string;
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
