/** A part of an agent's message. */
interface Part {
	type?: string;
	text?: string;
	image_url?: string | { url?: string; detail?: string };
}

interface AgentMessage {
	content: string | Part[];
}

/** A model of n8n's SDK. */
interface SuppliedModel {
	_generate: (messages: AgentMessage[], ...more: unknown[]) => unknown;
	_streamResponseChunks: (messages: AgentMessage[], ...more: unknown[]) => unknown;
	bindTools: (...given: unknown[]) => SuppliedModel;
}

function toImage(part: Part): Part | object {
	if (part.type !== 'image_url') return part;
	const { image_url: image } = part;
	const { url = '', detail } = typeof image === 'string' ? { url: image } : (image ?? {});
	const [, mimeType] = /^data:([^;,]*)/.exec(url) ?? [];
	const content = mimeType ? { mimeType, data: url } : { url };
	return { type: 'image', ...content, ...(detail && { metadata: { detail } }) };
}

/** The message with its pictures in the SDK's form. It keeps its class. */
function withImages(message: AgentMessage): AgentMessage {
	const { content } = message;
	if (!Array.isArray(content) || !content.some(({ type }) => type === 'image_url')) return message;
	const copy = Object.create(Object.getPrototypeOf(message) as object) as AgentMessage;
	Object.defineProperties(copy, Object.getOwnPropertyDescriptors(message));
	Object.defineProperty(copy, 'content', { value: content.map(toImage), enumerable: true });
	return copy;
}

/** About 4 bytes each. LangChain would download a tokenizer, and wait 98 s where it cannot. */
const countTokens = (content: string | (string | Part | null)[]): number => {
	const parts = [content].flat().map((part) => (typeof part === 'string' ? part : part?.text));
	return Math.ceil(Buffer.byteLength(parts.join('')) / 4);
};

/**
 * Mends what n8n's SDK lacks (seen in 2.41): it drops pictures that agents pass on as `image_url`, and counts no
 * tokens, e.g. for the Summarization Chain. Other models stay as they are.
 */
export function adaptModel<Model>(model: Model): Model {
	const supplied = model as Partial<SuppliedModel>;
	const { _generate: generate, _streamResponseChunks: stream, bindTools } = supplied;
	if (!generate || !stream || !bindTools) return model;
	return Object.assign(model as object, {
		getNumTokens: async (content: Parameters<typeof countTokens>[0]) => countTokens(content),
		_generate: (messages: AgentMessage[], ...more: unknown[]) =>
			generate.call(model, messages.map(withImages), ...more),
		_streamResponseChunks: (messages: AgentMessage[], ...more: unknown[]) =>
			stream.call(model, messages.map(withImages), ...more),
		bindTools: (...given: unknown[]) => adaptModel(bindTools.apply(model as never, given)),
	}) as Model;
}
