import type { IDataObject } from 'n8n-workflow';
import { quotaToUsd } from '../../catalog/pricing';
import { GatewayError } from '../../gateway/errors';
import { isCutOff, isRefused, type TextResult } from '../../gateway/text/schema';
import type { OutputItem } from './task';

interface TextOutputOptions {
	/** As requested. The answer may name it more exactly. */
	model: string;
	isJson: boolean;
	/** What a last message of the assistant says: the answer goes on from there. */
	beginning?: string;
	simplify: boolean;
}

/** The text first. */
export function textToItem(
	result: TextResult,
	{ model, isJson, beginning, simplify }: TextOutputOptions,
): OutputItem {
	const [text = ''] = result.texts;
	const data =
		isJson && !result.toolCalls.length ? requireJson(text, result, beginning) : undefined;
	if (!simplify) return { json: result.raw as IDataObject };
	const { texts, toolCalls, images, annotations, usage, cost } = result;
	const reasons = result.finishReasons.map((reason) => reason ?? null);
	return {
		json: {
			text,
			...(data && { data: data.value as IDataObject }),
			...(texts.length > 1 && { texts, finish_reasons: reasons }),
			...(toolCalls.length && {
				tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
					id,
					name,
					arguments: given,
				})) as IDataObject[],
			}),
			...(images && { images: images as IDataObject[] }),
			...(annotations && { annotations: annotations as IDataObject[] }),
			model: result.model ?? model,
			finish_reason: reasons[0] ?? null,
			usage: usage
				? {
						input_tokens: usage.input ?? null,
						output_tokens: usage.output ?? null,
						total_tokens: usage.total,
					}
				: null,
			...(cost !== undefined && { cost, cost_usd: quotaToUsd(cost) }),
		},
	};
}

/** An answer that is not JSON is paid, so the error keeps its text. */
function requireJson(text: string, result: TextResult, beginning?: string): { value: unknown } {
	const found = extractJson(text, beginning);
	if (found) return found;
	const { finishReasons, cost } = result;
	const details = { text, finish_reason: finishReasons[0], billed: cost };
	const fail = (why: string, hint?: string) =>
		new GatewayError('text_not_json', `The answer is not JSON${why}`, { hint, details });
	if (isRefused(result))
		throw fail(
			`, because the model refused to answer (${finishReasons[0]})`,
			'Change the messages or the files: the same request is refused again.',
		).addDetails({ retry: false });
	throw isCutOff(result)
		? fail(
				', because it was cut off',
				'Raise Maximum Tokens (Generate Content: Maximum Output Tokens). The text is in details.',
			)
		: fail('');
}

/** JSON in an answer, also behind what the model thought, in a code block or within a sentence. */
export function extractJson(text: string, beginning = ''): { value: unknown } | undefined {
	const { rest } = findBracketed(beginning);
	return (rest && findJson(rest + text)) || findJson(text);
}

function findJson(text: string): { value: unknown } | undefined {
	const answer = text.split('</think>').at(-1)!;
	// A draft.
	if (/^\s*<think>/.test(answer)) return undefined;
	const fenced = /```(?:json)?([\s\S]*?)```/.exec(answer)?.[1] ?? '';
	const { parts, rest } = findBracketed(answer);
	parts.sort((a, b) => b.length - a.length);
	// Beside objects, a list without any is rather a note, e.g. "[1]".
	const objects = parts.filter((part) => /\{\s*["}]/.test(part)).slice(0, 100);
	const likely = objects.length ? objects : parts.slice(0, 1);
	// What a bracket that stays open holds may be cut off.
	for (const candidate of [text, answer, fenced, ...(rest ? [] : likely)]) {
		try {
			return { value: JSON.parse(candidate) };
		} catch {
			continue;
		}
	}
	return undefined;
}

/** The parts in brackets. `rest`: from a bracket that stays open. */
function findBracketed(text: string): { parts: string[]; rest: string } {
	const parts: string[] = [];
	let [depth, start, isQuoted] = [0, 0, false];
	for (const { 0: token, index } of text.matchAll(/\\.|["[\]{}]/gs)) {
		if (token === '"') isQuoted = depth > 0 && !isQuoted;
		else if (isQuoted || token.length > 1) continue;
		else if (token === '{' || token === '[') start = depth++ ? start : index;
		else if (depth && !--depth) parts.push(text.slice(start, index + 1));
	}
	return { parts, rest: depth ? text.slice(start) : '' };
}
