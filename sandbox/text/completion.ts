import { instanceOf } from './instance';

export interface Tool {
	name: string;
	schema?: unknown;
}

/** One request for text, whatever endpoint it came through. */
export interface Question {
	model: string;
	/** The last text of the user, when it is the user's turn that is answered. */
	text: string;
	/** The results of tool calls, when those are answered instead. */
	results?: string[];
	/** Everything that was sent, for counting. */
	all: string;
	tools: Tool[];
	/** Wants JSON, of this schema if any. */
	json?: { schema?: unknown };
	maxTokens?: number;
	stops?: string[];
}

export interface Call {
	name: string;
	arguments: Record<string, unknown>;
}

export interface Answer {
	text: string;
	/** The text in the pieces in which a stream sends it; each counts as one token. */
	pieces: string[];
	calls: Call[];
	end: 'stop' | 'length' | 'sequence' | 'tool';
	/** The stop sequence that ended it. */
	sequence?: string;
	inputTokens: number;
	outputTokens: number;
}

export const piecesOf = (text: string): string[] => text.match(/\s*\S+\s*?(?=\s|$)|\s+/g) ?? [];

export const tokensOf = (text: string): number => text.match(/\S+/g)?.length ?? 0;

/** "use tool NAME" asks for a call; a JSON object in the text becomes its arguments. */
function callsOf({ text, tools, results }: Question): Call[] {
	if (results !== undefined) return [];
	const wanted = [...text.matchAll(/use tool ([\w.-]+)/gi)].map((match) =>
		(match[1] as string).replace(/\.$/, ''),
	);
	return wanted.flatMap((name) => {
		const tool = tools.find((entry) => entry.name === name);
		return tool === undefined ? [] : [{ name, arguments: argumentsOf(tool, text) }];
	});
}

function argumentsOf(tool: Tool, text: string): Record<string, unknown> {
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
		: (instanceOf(tool.schema, text) as Record<string, unknown>);
}

function wordsOf(question: Question): string {
	const { text, results, json, model } = question;
	if (json !== undefined) {
		const value =
			json.schema === undefined ? { reply: text, model } : instanceOf(json.schema, text);
		return JSON.stringify(value);
	}
	if (results !== undefined) return `The tool returned: ${results.join('; ')}`;
	if (text.includes('[long]'))
		return Array.from({ length: 200 }, (_, i) => `word${i + 1}`).join(' ');
	return text === '' ? `This is ${model}.` : `You said: ${text}`;
}

/** The same answer to the same question, always. */
export function answer(question: Question): Answer {
	const inputTokens = tokensOf(question.all);
	const calls = callsOf(question);
	if (calls.length > 0) {
		return {
			text: '',
			pieces: [],
			calls,
			end: 'tool',
			inputTokens,
			outputTokens: tokensOf(JSON.stringify(calls)),
		};
	}
	let text = wordsOf(question);
	let end: Answer['end'] = 'stop';
	const found = (question.stops ?? [])
		.map((sequence) => ({ sequence, at: sequence === '' ? -1 : text.indexOf(sequence) }))
		.filter(({ at }) => at >= 0)
		.sort((a, b) => a.at - b.at)[0];
	if (found !== undefined) {
		text = text.slice(0, found.at);
		end = 'sequence';
	}
	let pieces = piecesOf(text);
	if (question.maxTokens !== undefined && pieces.length > question.maxTokens) {
		pieces = pieces.slice(0, question.maxTokens);
		text = pieces.join('');
		end = 'length';
	}
	const sequence = end === 'sequence' ? found?.sequence : undefined;
	return { text, pieces, calls, end, sequence, inputTokens, outputTokens: pieces.length };
}
