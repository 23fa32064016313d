import { createInstance } from './instance';

export interface Tool {
	name: string;
	schema?: unknown;
}

/** One request for text, the same for all endpoints. */
export interface TextRequest {
	model: string;
	/** The last text of the user, when it is the user's turn that is answered. */
	text: string;
	/** The results of tool calls, when those are answered instead. */
	results?: string[];
	/** Everything that was sent, for counting. */
	allText: string;
	tools: Tool[];
	/** Wants JSON, of this schema if any. */
	json?: { schema?: unknown };
	maxTokens?: number;
	stops?: string[];
}

export interface ToolCall {
	name: string;
	arguments: Record<string, unknown>;
}

export interface Completion {
	text: string;
	/** The text in the pieces in which a stream sends it; each counts as one token. */
	pieces: string[];
	calls: ToolCall[];
	endReason: 'stop' | 'length' | 'sequence' | 'tool';
	/** The stop sequence that ended it. */
	sequence?: string;
	inputTokens: number;
	outputTokens: number;
}

const splitIntoPieces = (text: string): string[] => text.match(/\s*\S+\s*?(?=\s|$)|\s+/g) ?? [];

export const countTokens = (text: string): number => text.match(/\S+/g)?.length ?? 0;

/** For who waits for an agent to call a tool. */
const NO_CALL = (name: string) =>
	` (A sandbox does not think. For a tool call, write: use tool ${name})`;

/** "use tool NAME" requests a tool call; a JSON object in the text becomes its arguments. */
function createToolCalls({ text, tools, results }: TextRequest): ToolCall[] {
	if (results !== undefined) return [];
	const wanted = [...text.matchAll(/use (?:the )?tool ([\w.-]+)/gi)].map((match) =>
		(match[1] as string).replace(/\.$/, ''),
	);
	return wanted.flatMap((name) => {
		const tool = tools.find((candidate) => candidate.name === name);
		return tool === undefined ? [] : [{ name, arguments: createArguments(tool, text) }];
	});
}

function createArguments(tool: Tool, text: string): Record<string, unknown> {
	const json = /\{[\s\S]*\}/.exec(text)?.[0];
	if (json !== undefined) {
		try {
			return JSON.parse(json) as Record<string, unknown>;
		} catch {
			// Braces that are no JSON: the schema decides.
		}
	}
	return tool.schema === undefined
		? {}
		: (createInstance(tool.schema, text) as Record<string, unknown>);
}

function createText(request: TextRequest): string {
	const { text, results, json, model, tools } = request;
	if (json !== undefined) {
		const value =
			json.schema === undefined ? { reply: text, model } : createInstance(json.schema, text);
		return JSON.stringify(value);
	}
	if (results !== undefined) return `The tool returned: ${results.join('; ')}`;
	const [isLong, words = '200'] = /\[long(?: (\d+))?\]/.exec(text) ?? [];
	if (isLong) return Array.from({ length: Number(words) }, (_, i) => `word${i + 1}`).join(' ');
	const hint = tools[0] ? NO_CALL(tools[0].name) : '';
	return text === '' ? `This is ${model}.` : `You said: ${text}${hint}`;
}

/** Answers a request; the same request always gets the same answer. */
export function complete(request: TextRequest): Completion {
	const inputTokens = countTokens(request.allText);
	const calls = createToolCalls(request);
	if (calls.length > 0) {
		return {
			text: '',
			pieces: [],
			calls,
			endReason: 'tool',
			inputTokens,
			outputTokens: countTokens(JSON.stringify(calls)),
		};
	}
	let text = createText(request);
	let endReason: Completion['endReason'] = 'stop';
	const found = (request.stops ?? [])
		.map((sequence) => ({ sequence, at: sequence === '' ? -1 : text.indexOf(sequence) }))
		.filter(({ at }) => at >= 0)
		.sort((a, b) => a.at - b.at)[0];
	if (found !== undefined) {
		text = text.slice(0, found.at);
		endReason = 'sequence';
	}
	let pieces = splitIntoPieces(text);
	if (request.maxTokens !== undefined && pieces.length > request.maxTokens) {
		pieces = pieces.slice(0, request.maxTokens);
		text = pieces.join('');
		endReason = 'length';
	}
	const sequence = endReason === 'sequence' ? found?.sequence : undefined;
	return { text, pieces, calls, endReason, sequence, inputTokens, outputTokens: pieces.length };
}
