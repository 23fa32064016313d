import { z } from 'zod';

/** What a model wrote, whatever the endpoint's style: spec section 2.5. */
export interface TextResult {
	id?: string;
	model?: string;
	/** One for each alternative that was asked for. */
	texts: string[];
	/** As the endpoint words it: `stop`, `end_turn`, `STOP`, `completed`, … */
	finishReason?: string;
	toolCalls: ToolCall[];
	/** Parts of the answer that are pictures, as they came: `output_image` and `inlineData`. */
	images?: unknown[];
	usage?: Usage;
	/** Charge in quota, where the reply tells it. */
	cost?: number;
	/** Why there is no answer, where a reply with status 200 says so. */
	refusal?: { error: unknown };
	/** The gateway's own object, untouched. */
	raw: unknown;
}

export interface ToolCall {
	id?: string;
	name: string;
	/** Parsed where it is JSON, else as it came. */
	arguments: unknown;
}

/** In tokens. */
export interface Usage {
	input?: number;
	output?: number;
	total?: number;
}

export const text = z.string().optional().catch(undefined);
export const count = z.number().optional().catch(undefined);

/** Entries of a list that are of the shape; the others are passed over. */
export const listOf = <Shape extends z.ZodTypeAny>(shape: Shape) =>
	z
		.array(z.unknown())
		.catch([])
		.transform((entries) =>
			entries.flatMap((entry) => {
				const parsed = shape.safeParse(entry);
				return parsed.success ? [parsed.data as z.output<Shape>] : [];
			}),
		);

/** JSON as the value it stands for; anything else as it is. */
export function parsedJson(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch {
		return value;
	}
}

export function usageOf(input?: number, output?: number, total?: number): Usage | undefined {
	if (input === undefined && output === undefined && total === undefined) return undefined;
	return { input, output, total: total ?? (input ?? 0) + (output ?? 0) };
}

/** The text of a `content` that is a string or a list of parts. */
export function textOfParts(content: unknown): string {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return '';
	return content
		.map((part: { text?: unknown } | string) => (typeof part === 'string' ? part : part?.text))
		.filter((part): part is string => typeof part === 'string')
		.join('');
}
