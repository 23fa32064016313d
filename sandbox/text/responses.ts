import { randomUUID } from 'node:crypto';
import { chatModels, responseOnlyModels } from '../models';
import { flag, real, whole } from '../rules/checks';
import type { Body, Settings } from '../settings';
import { complete, type Completion } from './completion';
import { readTools } from './chat';
import { readInput } from './input';
import { checkModel, checkParams, isObject } from './params';
import { createResponseEvents } from './responseEvents';
import type { ServerSentEvent } from './stream';

const toolTypes = ['web_search', 'file_search', 'function', 'remote_mcp'];

const params = {
	temperature: real(0, 2),
	max_tokens: whole(0),
	stream: flag,
	tools: (value: unknown) =>
		Array.isArray(value) &&
		value.every((tool) => isObject(tool) && toolTypes.includes(String(tool.type)))
			? undefined
			: `must be an array of tools of type ${toolTypes.join(', ')}`,
};

const isReasoningModel = (model: string): boolean => /^(gp-5|o\d)/.test(model);

/** Section 2.5, responses-style: the response object and its stream. */
export function respond(
	body: Body,
	settings: Settings,
): { whole: Body; events: ServerSentEvent[] } {
	const model = checkModel(body.model, [...chatModels, ...responseOnlyModels], settings);
	const input = readInput(body.input);
	checkParams(body, params);
	const format = isObject(body.text) && isObject(body.text.format) ? body.text.format : undefined;
	const json =
		format?.type === 'json_schema'
			? { schema: format.schema }
			: format?.type === 'json_object'
				? {}
				: undefined;
	const completion = complete({
		model,
		...input,
		tools: readTools(body.tools),
		json,
		maxTokens: typeof body.max_tokens === 'number' ? body.max_tokens : undefined,
	});
	const created = Math.floor(settings.now() / 1000);
	const whole = toResponse(body, model, created, completion);
	return { whole, events: createResponseEvents(whole, completion.pieces) };
}

function toOutput(model: string, completion: Completion): Body[] {
	const output: Body[] = isReasoningModel(model)
		? [{ id: `rs_${randomUUID()}`, type: 'reasoning', summary: [] }]
		: [];
	if (completion.endReason !== 'tool') {
		const content = [{ type: 'output_text', text: completion.text, annotations: [], logprobs: [] }];
		output.push({
			id: `msg_${randomUUID()}`,
			type: 'message',
			role: 'assistant',
			status: 'completed',
			content,
		});
	}
	completion.calls.forEach((toolCall) =>
		output.push({
			id: `fc_${randomUUID()}`,
			type: 'function_call',
			call_id: `call_${randomUUID()}`,
			name: toolCall.name,
			arguments: JSON.stringify(toolCall.arguments),
			status: 'completed',
		}),
	);
	return output;
}

function toResponse(body: Body, model: string, created: number, completion: Completion): Body {
	const { inputTokens, outputTokens } = completion;
	return {
		id: `resp_${randomUUID()}`,
		object: 'response',
		created_at: created,
		model,
		status: 'completed',
		output: toOutput(model, completion),
		usage: {
			input_tokens: inputTokens,
			output_tokens: outputTokens,
			total_tokens: inputTokens + outputTokens,
			input_tokens_details: { cached_tokens: 0 },
			output_tokens_details: { reasoning_tokens: 0 },
		},
		reasoning: {
			effort: 'medium',
			summary: null,
			...(isObject(body.reasoning) ? body.reasoning : {}),
		},
		temperature: body.temperature ?? 1,
		top_p: body.top_p ?? 1,
		tool_choice: body.tool_choice ?? 'auto',
		tools: body.tools ?? [],
		parallel_tool_calls: body.parallel_tool_calls ?? true,
		store: body.store ?? false,
		service_tier: 'default',
		truncation: 'disabled',
		text: {
			format: { type: 'text' },
			verbosity: 'medium',
			...(isObject(body.text) ? body.text : {}),
		},
		background: false,
		error: null,
		metadata: body.metadata ?? {},
	};
}
