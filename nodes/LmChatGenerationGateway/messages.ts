import { randomUUID } from 'crypto';
import type {
	FinishReason,
	GenerateResult,
	Message,
	MessageContent,
	TokenUsage,
} from '@n8n/ai-node-sdk';
import { parseJson } from '../gateway/json';
import { argumentsText, type MessageFile, type TextMessage } from '../gateway/text/adapter';
import { joinParts, type TextResult } from '../gateway/text/schema';

const isLink = (value: unknown): value is string =>
	typeof value === 'string' && /^https?:/i.test(value);

/** A link, or base64 with its type. */
function toFile({ data = '', mediaType = 'image/png' }: MessageContent): MessageFile {
	const [, type = mediaType, base64 = data] =
		/^data:([^;,]*)[^,]*,(.*)$/s.exec(typeof data === 'string' ? data : '') ?? [];
	return {
		type,
		base64: typeof base64 === 'string' ? base64 : Buffer.from(base64).toString('base64'),
	};
}

const resultText = (result: unknown): string => {
	if (typeof result === 'string') return result;
	const parts = Array.isArray(result) ? (result as MessageContent[]) : [];
	const isText = parts.length > 0 && parts.every(({ type }) => type === 'text');
	return isText ? joinParts(parts) : JSON.stringify(result);
};

/** Converts a message of n8n's agents. */
export function toTextMessage({ role, content }: Message): TextMessage {
	const ofType = (type: string) => content.filter((part) => part.type === type);
	const files = ofType('file');
	const links = files.map(({ providerMetadata }) => providerMetadata?.url).filter(isLink);
	const [result] = ofType('tool-result');
	return {
		role,
		text: joinParts(ofType('text')),
		imageUrls: links,
		videoUrls: [],
		files: files.filter(({ data }) => data).map(toFile),
		toolCalls: ofType('tool-call').map(({ toolCallId, toolName = '', input }) => ({
			id: toolCallId,
			name: toolName,
			arguments: parseJson(input),
		})),
		...(result && { toolResult: { id: result.toolCallId, text: resultText(result.result) } }),
	};
}

/** n8n's finish reasons, by words of the gateway. */
const FINISH_REASONS: readonly [RegExp, FinishReason][] = [
	[/tool|function/i, 'tool-calls'],
	[/length|max_tokens|incomplete/i, 'length'],
	[/filter|safety/i, 'content-filter'],
	[/stop|end_turn|completed/i, 'stop'],
];

export function toFinishReason({ finishReason = '', toolCalls }: TextResult): FinishReason {
	if (toolCalls.length) return 'tool-calls';
	return FINISH_REASONS.find(([words]) => words.test(finishReason))?.[1] ?? 'other';
}

export const toUsage = ({ usage }: TextResult): TokenUsage | undefined =>
	usage && {
		promptTokens: usage.input ?? 0,
		completionTokens: usage.output ?? 0,
		totalTokens: usage.total ?? (usage.input ?? 0) + (usage.output ?? 0),
	};

/**
 * Each with an ID, which n8n needs for the results. It skips the result of an ID that it has seen. `input` is
 * JSON as text.
 */
export const toAgentToolCalls = ({ toolCalls }: TextResult) =>
	toolCalls.map((toolCall) => ({
		id: toolCall.id || randomUUID(),
		name: toolCall.name,
		input: argumentsText(toolCall),
	}));

/** Converts an answer for n8n's agents. */
export function toGenerateResult(result: TextResult): GenerateResult {
	const [text = ''] = result.texts;
	const calls = toAgentToolCalls(result).map(({ id, name, input }): MessageContent => ({
		type: 'tool-call',
		toolCallId: id,
		toolName: name,
		input,
	}));
	return {
		id: result.id,
		finishReason: toFinishReason(result),
		usage: toUsage(result),
		message: { role: 'assistant', content: [...(text ? [{ type: 'text', text }] : []), ...calls] },
	};
}
