import { GatewayError } from '../gateway/errors';
import type { JsonObject } from '../gateway/json';
import { extractJson } from '../n8n/items/text';

/** A part of an agent's message. */
interface Part {
	type?: string;
	text?: string;
	image_url?: string | { url?: string; detail?: string };
	/** Of a file. */
	mime_type?: string;
}

interface AgentMessage {
	content: string | Part[];
}

interface Answer extends AgentMessage {
	text: string;
	tool_calls?: { args: unknown }[];
}

/** A model of n8n's SDK, which is one of LangChain. */
interface SuppliedModel {
	_generate: (...given: Given) => Promise<{ generations: { message: Answer }[] }>;
	_streamResponseChunks: (...given: Given) => AsyncIterable<{ message: Answer }>;
	bindTools: (tools: object[], options?: JsonObject) => SuppliedModel;
	/** With a function of what the model answers. */
	pipe: (next: (answer: Answer) => unknown) => unknown;
}

type Given = [messages: AgentMessage[], options: JsonObject, ...more: unknown[]];

function toSdkPart(part: Part): Part | object {
	if (part.mime_type) return { ...part, mimeType: part.mime_type };
	if (part.type !== 'image_url') return part;
	const { image_url: image } = part;
	const { url = '', detail } = typeof image === 'string' ? { url: image } : (image ?? {});
	const [, mimeType] = /^data:([^;,]*)/.exec(url) ?? [];
	const content = mimeType ? { mimeType, data: url } : { url };
	return { type: 'image', ...content, ...(detail && { metadata: { detail } }) };
}

/** The message with its files in the SDK's form. It keeps its class. */
function withSdkParts(message: AgentMessage): AgentMessage {
	const { content } = message;
	if (!Array.isArray(content)) return message;
	const copy = Object.create(Object.getPrototypeOf(message) as object) as AgentMessage;
	Object.defineProperties(copy, Object.getOwnPropertyDescriptors(message));
	Object.defineProperty(copy, 'content', { value: content.map(toSdkPart), enumerable: true });
	return copy;
}

/** The content of an answer as text, as of other models. Tool calls have a place of their own. */
function flatten(message: Answer): void {
	if (Array.isArray(message.content)) message.content = message.text;
}

/** About 4 bytes each. LangChain would download a tokenizer, and wait 98 s where it cannot. */
const countTokens = (content: string | (string | Part | null)[]): number => {
	const parts = [content].flat().map((part) => (typeof part === 'string' ? part : part?.text));
	return Math.ceil(Buffer.byteLength(parts.join('')) / 4);
};

/** The arguments of the tool that the model was to call. Some models answer with JSON instead. */
function readStructured({ text, tool_calls: [made] = [] }: Answer): unknown {
	const found = made ? { value: made.args } : extractJson(text);
	if (found) return found.value;
	throw new GatewayError('text_not_json', 'The answer is not JSON', { details: { text } });
}

/**
 * Mends what n8n's SDK lacks (seen in 2.41):
 * - It drops `tool_choice`, the pictures that agents pass on, and the types of files.
 * - Its answers are lists of parts. n8n's Auto-fixing Output Parser reads only text.
 * - It cannot answer with a schema, which n8n's Evaluation asks for.
 * - It counts no tokens, e.g. for the Summarization Chain.
 *
 * `settings` are shown in n8n's log. `bound`: options of all requests. Other models stay as they are.
 */
export function adaptModel<Model>(
	model: Model,
	settings: JsonObject,
	bound: JsonObject = {},
): Model {
	const supplied = model as Partial<SuppliedModel>;
	const { _generate: generate, _streamResponseChunks: stream, bindTools } = supplied;
	if (!generate || !stream || !bindTools) return model;
	const toGiven = ([messages, options, ...more]: Given): Given => [
		messages.map(withSdkParts),
		{ ...bound, ...options },
		...more,
	];
	const bind: typeof bindTools = (tools, options) =>
		adaptModel(bindTools.call(model, tools), settings, { ...bound, ...options });
	return Object.assign(model as object, {
		getNumTokens: async (content: Parameters<typeof countTokens>[0]) => countTokens(content),
		toJSON: () => ({ lc: 1, type: 'constructor', id: ['generationGateway'], kwargs: settings }),
		async _generate(...given: Given) {
			const result = await generate.apply(model, toGiven(given));
			for (const { message } of result.generations) flatten(message);
			return result;
		},
		async *_streamResponseChunks(...given: Given) {
			for await (const chunk of stream.apply(model, toGiven(given))) {
				flatten(chunk.message);
				yield chunk;
			}
		},
		bindTools: bind,
		withStructuredOutput(schema: object, { name = 'extract', includeRaw = false } = {}) {
			const tool = { name, description: 'Takes the answer', schema };
			return bind([tool], { tool_choice: 'any' }).pipe((raw) =>
				includeRaw ? { raw, parsed: readStructured(raw) } : readStructured(raw),
			);
		},
	}) as Model;
}
