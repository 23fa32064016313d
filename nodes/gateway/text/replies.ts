import { z } from 'zod';
import type { TextEndpointId } from '../../catalog/textEndpoints';
import { count, listOf, parsedJson, text, textOfParts, usageOf, type TextResult } from './schema';

const object = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).passthrough();
const optional = <Shape extends z.ZodTypeAny>(shape: Shape) =>
	shape.optional().catch(undefined as never);

const Call = object({
	id: text,
	function: optional(object({ name: text, arguments: z.unknown() })),
});
/** `function_call` is the older form of one entry of `tool_calls`; `finish_reason` names it (section 2.5). */
const FunctionCall = optional(object({ name: text, arguments: z.unknown() }));
const Choice = object({
	message: optional(
		object({ content: z.unknown(), tool_calls: listOf(Call), function_call: FunctionCall }),
	),
	text,
	finish_reason: text,
});
const Chat = object({
	id: text,
	model: text,
	choices: listOf(Choice),
	usage: optional(
		object({ prompt_tokens: count, completion_tokens: count, total_tokens: count, cost: count }),
	),
	cost: count,
});

const callsIn = (calls: z.output<typeof Call>[], older: z.output<typeof FunctionCall>) =>
	calls.length || !older ? calls : [{ id: undefined, function: older }];

function readChat(raw: unknown): TextResult {
	const { id, model, choices, usage, cost } = Chat.parse(raw);
	return {
		id,
		model,
		texts: choices.map(({ message, text: plain }) =>
			message ? textOfParts(message.content) : (plain ?? ''),
		),
		finishReason: choices[0]?.finish_reason,
		toolCalls: choices.flatMap(({ message }) =>
			callsIn(message?.tool_calls ?? [], message?.function_call).map(
				({ id: callId, function: called }) => ({
					id: callId,
					name: called?.name ?? '',
					arguments: parsedJson(called?.arguments),
				}),
			),
		),
		usage: usageOf(usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens),
		cost: cost ?? usage?.cost,
		raw,
	};
}

/** The parts that are pictures; undefined where there is none. */
function imagesIn(
	parts: unknown[],
	isImage: (part: Record<string, unknown>) => boolean,
): unknown[] | undefined {
	const found = parts.filter(
		(part) => typeof part === 'object' && part !== null && isImage(part as Record<string, unknown>),
	);
	return found.length ? found : undefined;
}

const Usage = optional(
	object({ input_tokens: count, output_tokens: count, total_tokens: count, cost: count }),
);
const Output = object({
	type: text,
	content: z.unknown(),
	name: text,
	arguments: z.unknown(),
	call_id: text,
	id: text,
});
const Response = object({
	id: text,
	model: text,
	status: text,
	output: listOf(Output),
	usage: Usage,
	cost: count,
});

function readResponse(raw: unknown): TextResult {
	const { id, model, status, output, usage, cost } = Response.parse(raw);
	const messages = output.filter(
		({ type, content }) => type === 'message' || (type === undefined && content),
	);
	return {
		id,
		model,
		texts: [messages.map(({ content }) => textOfParts(content)).join('\n')],
		images: imagesIn(
			[...messages.flatMap(({ content }) => content), ...output],
			({ type }) => type === 'output_image',
		),
		finishReason: status,
		toolCalls: output
			.filter(({ type }) => type === 'function_call')
			.map((call) => ({
				id: call.call_id ?? call.id,
				name: call.name ?? '',
				arguments: parsedJson(call.arguments),
			})),
		usage: usageOf(usage?.input_tokens, usage?.output_tokens, usage?.total_tokens),
		cost: cost ?? usage?.cost,
		raw,
	};
}

const Block = object({ type: text, text, name: text, id: text, input: z.unknown() });
const Message = object({
	id: text,
	model: text,
	content: listOf(Block),
	stop_reason: text,
	usage: Usage,
	cost: count,
});

function readMessage(raw: unknown): TextResult {
	const { id, model, content, stop_reason, usage, cost } = Message.parse(raw);
	return {
		id,
		model,
		texts: [textOfParts(content)],
		finishReason: stop_reason,
		toolCalls: content
			.filter(({ type }) => type === 'tool_use')
			.map((block) => ({ id: block.id, name: block.name ?? '', arguments: block.input })),
		usage: usageOf(usage?.input_tokens, usage?.output_tokens),
		cost: cost ?? usage?.cost,
		raw,
	};
}

const Part = object({ text, functionCall: optional(object({ name: text, args: z.unknown() })) });
const Candidate = object({
	content: optional(object({ parts: listOf(Part) })),
	finishReason: text,
});
const Native = object({
	candidates: listOf(Candidate),
	modelVersion: text,
	usageMetadata: optional(
		object({ promptTokenCount: count, candidatesTokenCount: count, totalTokenCount: count }),
	),
	cost: count,
});

function readNative(raw: unknown): TextResult {
	const { candidates, modelVersion, usageMetadata: usage, cost } = Native.parse(raw);
	const parts = candidates.map(({ content }) => content?.parts ?? []);
	return {
		model: modelVersion,
		texts: parts.map(textOfParts),
		images: imagesIn(parts.flat(), ({ inlineData }) => inlineData !== undefined),
		finishReason: candidates[0]?.finishReason,
		toolCalls: parts
			.flat()
			.flatMap(({ functionCall: call }) =>
				call ? [{ name: call.name ?? '', arguments: call.args }] : [],
			),
		usage: usageOf(usage?.promptTokenCount, usage?.candidatesTokenCount, usage?.totalTokenCount),
		cost,
		raw,
	};
}

const READERS: Record<TextEndpointId, (raw: unknown) => TextResult> = {
	chat: readChat,
	respond: readResponse,
	message: readMessage,
	generateContent: readNative,
};

/** States of a response that hold no answer: spec sections 2.5 and 3. */
const ENDED_WITHOUT: Record<string, string> = {
	failed: 'The response failed',
	cancelled: 'The response was cancelled',
};

/** Reads a whole reply of one of the four text endpoints. Undefined when it is not even an object. */
export function parseReply(style: TextEndpointId, raw: unknown): TextResult | undefined {
	if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
	const { error, status } = raw as { error?: unknown; status?: unknown };
	const refusal = error || (style === 'respond' ? ENDED_WITHOUT[String(status)] : undefined);
	return {
		...READERS[style](raw),
		...(refusal !== undefined && refusal !== null && { refusal: { error: refusal } }),
	};
}
