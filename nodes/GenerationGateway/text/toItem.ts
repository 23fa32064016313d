import type { IDataObject } from 'n8n-workflow';
import { quotaToUsd } from '../../catalog/quota';
import { GatewayError } from '../../gateway/errors';
import type { TextResult } from '../../gateway/text/schema';
import type { Output } from '../operation';
import type { TextPlan } from './complete';
import { extractJson } from './request';

/** The item of an answer: its text first, what it took beside it. */
export function textToItem(answer: TextResult, { model, json, simplify }: TextPlan): Output {
	const [text = ''] = answer.texts;
	const data = json && !answer.toolCalls.length ? parsed(text, answer) : undefined;
	if (!simplify) return { json: answer.raw as IDataObject };
	const { texts, toolCalls, images, usage, cost, finishReason } = answer;
	return {
		json: {
			text,
			...(data && { data: data.value as IDataObject }),
			...(texts.length > 1 && { texts }),
			...(toolCalls.length && {
				tool_calls: toolCalls.map((call) => ({ ...call })) as IDataObject[],
			}),
			...(images && { images: images as IDataObject[] }),
			model: answer.model ?? model,
			finish_reason: finishReason ?? null,
			usage: usage
				? {
						input_tokens: usage.input ?? null,
						output_tokens: usage.output ?? null,
						total_tokens: usage.total ?? null,
					}
				: null,
			...(cost !== undefined && { cost, cost_usd: quotaToUsd(cost) }),
		},
	};
}

/** An answer that was asked for as JSON and is not: paid, so its text stays with the issue. */
function parsed(text: string, { finishReason }: TextResult): { value: unknown } {
	const found = extractJson(text);
	if (found) return found;
	const isCut = /length|max_tokens/i.test(finishReason ?? '');
	throw new GatewayError(
		`The answer is not JSON${isCut ? ', because it was cut off' : ''}`,
		isCut
			? 'Raise Maximum Tokens. The text is in details.'
			: 'Say in a message what the JSON should hold, or set JSON Schema. The text is in details.',
		{ retry: true, text, finish_reason: finishReason },
	);
}
