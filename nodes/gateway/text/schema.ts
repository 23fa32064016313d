import { isObject, numberAt, textAt, type JsonObject } from '../json';
import { readQuota } from '../quota';

/** An answer of any endpoint: spec section 2.5. */
export interface TextResult {
	id?: string;
	model?: string;
	/** One for each alternative. */
	texts: string[];
	/** One for each alternative, e.g. `stop`, `end_turn`, `STOP`, `completed`. */
	finishReasons: (string | undefined)[];
	toolCalls: ToolCall[];
	/** Pictures in the answer, as they came: `output_image` and `inlineData`. */
	images?: unknown[];
	/** Sources of the text, as they came. */
	annotations?: unknown[];
	usage?: TokenUsage;
	/** In quota, where the response states it. */
	cost?: number;
	/** The gateway's own object. Of a stream, an object in the format of a response. */
	raw: unknown;
}

/** The answer has reached its limit of tokens. */
export const isCutOff = ({ finishReasons: [reason = ''] }: TextResult): boolean =>
	/length|max_tokens|incomplete/i.test(reason);

/** The model, or a filter behind it, has refused to answer. */
export const isRefused = ({ finishReasons: [reason = ''] }: TextResult): boolean =>
	/filter|refus|safety|blocklist|prohibited/i.test(reason);

export interface ToolCall {
	id?: string;
	name: string;
	/** Parsed where it is JSON. */
	arguments: unknown;
	/** What goes back to the gateway with it, under wire names: what the model thought, or a signature. */
	kept?: JsonObject;
}

/** In tokens. */
interface TokenUsage {
	input?: number;
	output?: number;
	total: number;
}

export function toUsage(input?: number, output?: number, total?: number): TokenUsage | undefined {
	if (input === undefined && output === undefined && total === undefined) return undefined;
	return { input, output, total: total ?? (input ?? 0) + (output ?? 0) };
}

/** What responses say in one way. `names`: those of input, output and total in `usage`, which differ by endpoint. */
export function readFacts(raw: JsonObject, ...names: string[]) {
	const { cost, usage } = raw;
	const [input, output, total] = names.map((name) => numberAt(usage, name));
	return {
		id: textAt(raw, 'id'),
		model: textAt(raw, 'model'),
		raw,
		usage: toUsage(input, output, total),
		cost: readQuota(cost) ?? readQuota(isObject(usage) ? usage.cost : undefined),
	};
}

const PART_NAMES = ['type', 'text', 'refusal'];

/** The text of a `content`: a string, one part or several. A refusal's words count. Another object becomes JSON. */
export function joinParts(content: unknown): string {
	if (isObject(content) && !PART_NAMES.some((name) => name in content))
		return Object.keys(content).length ? JSON.stringify(content) : '';
	const parts = [content].flat() as ({ text?: unknown; refusal?: unknown } | string | undefined)[];
	return parts
		.map((part) => (typeof part === 'string' ? part : (part?.text ?? part?.refusal)))
		.filter((part): part is string => typeof part === 'string')
		.join('');
}

/** The parts that are pictures. One that is given in two places is one. */
export function findImages(
	parts: unknown[],
	isImage: (part: JsonObject) => boolean,
): unknown[] | undefined {
	const images = parts.filter((part) => isObject(part) && isImage(part));
	return omitEmpty([...new Map(images.map((image) => [JSON.stringify(image), image])).values()]);
}

export const omitEmpty = (list: unknown[]): unknown[] | undefined =>
	list.length ? list : undefined;

/** `{ error }` of a response with status 200. An object without content is none. */
export function findError({ error }: JsonObject): unknown {
	const isError = isObject(error) ? Object.values(error).some(Boolean) : Boolean(error);
	return isError ? { error } : undefined;
}
