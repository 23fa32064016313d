import { randomUUID } from 'crypto';
import type { FinishReason, GenerateResult, Message, MessageContent } from '@n8n/ai-node-sdk';
import { BoundedMap } from '../gateway/boundedMap';
import { GatewayError } from '../gateway/errors';
import { parseJson, type JsonObject } from '../gateway/json';
import type { MessageFile, TextMessage } from '../gateway/text/adapter';
import { argumentsText, readDataUri } from '../gateway/text/requestBody';
import {
	isCutOff,
	isRefused,
	joinParts,
	type TextResult,
	type ToolCall,
} from '../gateway/text/schema';

const isLink = (value: unknown): value is string =>
	typeof value === 'string' && /^https?:/i.test(value);

/** A link, or base64 with its type. Undefined where it has neither. */
function toFile({ data, mediaType: type = 'image/png', providerMetadata }: MessageContent) {
	const { url, detail } = providerMetadata ?? {};
	const more = typeof detail === 'string' && detail ? { detail } : {};
	if (!data?.length || isLink(data)) {
		const link = [url, data].find(isLink);
		return link === undefined ? undefined : { type, base64: '', url: link, ...more };
	}
	const file: MessageFile =
		typeof data === 'string'
			? (readDataUri(data) ?? { type, base64: data })
			: { type, base64: Buffer.from(data).toString('base64') };
	return { ...file, ...more };
}

const resultText = (result: unknown): string => {
	if (typeof result === 'string') return result;
	const parts = Array.isArray(result) ? (result as MessageContent[]) : [];
	const isText = parts.length > 0 && parts.every(({ type }) => type === 'text');
	return isText ? joinParts(parts) : JSON.stringify(result);
};

/** What an agent hands on of its input, and no model here takes. */
const NO_PICTURE = /^(audio|text)\/|^application\/(?!octet-stream)/i;

/** Throws for a file that would be sent as a picture, e.g. a PDF. */
function assertPictures(files: readonly MessageFile[]): void {
	const other = files.find(({ type }) => NO_PICTURE.test(type));
	if (!other) return;
	throw new GatewayError(
		'invalid_input',
		`The model takes images only, but a file of the message is ${other.type}`,
		{ hint: 'Give its text in the prompt, e.g. from Extract from File.' },
	);
}

/** What goes back to the gateway with a tool call, since n8n does not keep it. By an ID that no other call has. */
const keptOfCalls = new BoundedMap<string, JsonObject>(200);
/** n8n gets this and the ID of the gateway, and the gateway gets its own ID back. Short: some models take 40 characters. */
const OWN_PREFIX = /^gw[0-9a-f]{6}-/;

const wireIdOf = (toolCallId = ''): string | undefined =>
	toolCallId.replace(OWN_PREFIX, '') || undefined;

/** Converts a message of n8n's agents. */
export function toTextMessage({ role, content }: Message): TextMessage {
	const ofType = (type: string) => content.filter((part) => part.type === type);
	const [result] = ofType('tool-result');
	const files = ofType('file').flatMap((part) => toFile(part) ?? []);
	if (role === 'user') assertPictures(files);
	return {
		role,
		text: joinParts(ofType('text')),
		imageUrls: [],
		videoUrls: [],
		files,
		toolCalls: ofType('tool-call').map(({ toolCallId = '', toolName = '', input }) => ({
			id: wireIdOf(toolCallId),
			name: toolName,
			arguments: parseJson(input),
			kept: keptOfCalls.get(toolCallId),
		})),
		...(result && {
			toolResult: { id: wireIdOf(result.toolCallId), text: resultText(result.result) },
		}),
	};
}

/** n8n's finish reasons, by words of the gateway. */
const FINISH_REASONS: readonly [RegExp, FinishReason][] = [
	[/tool|function/i, 'tool-calls'],
	[/stop|end_turn|completed/i, 'stop'],
];

function reasonOf(result: TextResult): FinishReason {
	const [reason = ''] = result.finishReasons;
	if (isCutOff(result)) return 'length';
	if (isRefused(result)) return 'content-filter';
	return FINISH_REASONS.find(([words]) => words.test(reason))?.[1] ?? 'other';
}

/** Throws for a tool call whose arguments are cut off or not JSON: n8n would call the tool without them. */
export function assertWholeCalls(result: TextResult): void {
	const { toolCalls, texts, cost: billed } = result;
	const reason = reasonOf(result);
	const isPart = ({ arguments: given }: ToolCall) => typeof given === 'string' && given !== '';
	if (reason === 'tool-calls' || reason === 'stop') {
		const isBroken = ({ arguments: given }: ToolCall) =>
			typeof parseJson(given) === 'string' && String(given).trim() !== '';
		const broken = toolCalls.find(isBroken);
		if (!broken) return;
		throw new GatewayError(
			'text_not_json',
			`The model called ${broken.name} with arguments that are not JSON`,
			{ hint: 'Run again.', details: { text: argumentsText(broken), billed } },
		);
	}
	const isEmpty = ({ arguments: given }: ToolCall) => reason === 'length' && !given;
	if (!toolCalls.some(isPart) && !toolCalls.slice(-1).some(isEmpty)) return;
	throw new GatewayError('text_interrupted', 'The answer was cut off within a tool call', {
		hint: 'Run again, or raise Maximum Tokens.',
		details: { text: texts[0] ?? '', billed },
	});
}

/** An answer for n8n's agents. Tool calls get IDs of their own: n8n skips the result of an ID that it has seen. */
export function toGenerateResult(result: TextResult, messages: readonly Message[]): GenerateResult {
	const { id, toolCalls, usage } = result;
	const [text = ''] = result.texts;
	const parts = messages.flatMap(({ content }) => content);
	const usedIds = new Set(parts.map(({ toolCallId }) => wireIdOf(toolCallId)));
	const calls = toolCalls.map((toolCall): MessageContent => {
		const { kept } = toolCall;
		// Some gateways repeat them.
		const id = toolCall.id && !usedIds.has(toolCall.id) ? toolCall.id : undefined;
		const prefixed = id && `gw${randomUUID().slice(0, 6)}-${id}`;
		const toolCallId = (kept ? prefixed : id) ?? randomUUID();
		if (kept) keptOfCalls.set(toolCallId, kept);
		usedIds.add(wireIdOf(toolCallId));
		return {
			type: 'tool-call',
			toolCallId,
			toolName: toolCall.name,
			input: argumentsText(toolCall),
		};
	});
	return {
		id,
		finishReason: calls.length ? 'tool-calls' : reasonOf(result),
		usage: usage && {
			promptTokens: usage.input ?? 0,
			completionTokens: usage.output ?? 0,
			totalTokens: usage.total,
		},
		message: { role: 'assistant', content: [...(text ? [{ type: 'text', text }] : []), ...calls] },
	};
}
