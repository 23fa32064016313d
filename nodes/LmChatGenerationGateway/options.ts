import type { OpenAiModel } from '@n8n/ai-node-sdk';
import type { INodeProperties } from 'n8n-workflow';
import { validate } from '../catalog/validate';
import { toProperty } from '../n8n/panel/property';
import { textModelSpec } from '../n8n/textParameters';
import { convertValue } from '../n8n/panel/readPanel';
import { textEndpoints } from '../catalog/textEndpoints';

const { fields } = textEndpoints.chat;
const NAMES = [
	'frequency_penalty',
	'max_tokens',
	'presence_penalty',
	'temperature',
	'top_p',
] as const;

/** The parameters of chat completions that an agent's model may be given: spec section 2.5. */
export const chatOptions: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		...NAMES.map((name) => toProperty(name, fields[name]!, false, true)),
		{
			displayName: 'Maximum Retries',
			name: 'maxRetries',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 0 },
			default: 2,
			description: 'How often a request is tried again when the gateway is busy',
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 300,
			description: 'How long one answer may take',
		},
	],
};

type ChatOptions = Record<string, number | undefined>;

/** The options as numbers, also where an expression made text of them. */
export const readNumbers = (options: Record<string, unknown>): ChatOptions =>
	Object.fromEntries(
		Object.entries(options).map(([name, value]) => [
			name,
			convertValue(value, fields[name] ?? { type: 'number', description: '' }) as number,
		]),
	);

/** Every limit of chat completions that the options break, in one line; undefined when they hold. */
export function findOptionProblems(model: string, options: ChatOptions): string | undefined {
	const set = Object.fromEntries(
		NAMES.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
	);
	return (
		validate(textModelSpec('chat', model), set)
			.issues.map(({ message }) => message)
			.join('. ') || undefined
	);
}

/** Names after which the SDK turns the role system into one that the gateway does not state. */
const RENAMED_MODELS = /^o\d/;

/**
 * The options of the host's model. Models that only the responses endpoint serves are requested there. The SDK
 * words the longest answer in its own way for those and for models named like o1, and there it also renames
 * the role system: such a model goes by a name of its own, and the request says what the gateway knows.
 */
export function toModelOptions(
	model: string,
	options: ChatOptions,
): Omit<OpenAiModel, 'type' | 'baseUrl' | 'apiKey'> {
	const { temperature, max_tokens, top_p: topP, maxRetries = 2, timeout = 300 } = options;
	const { frequency_penalty: frequencyPenalty, presence_penalty: presencePenalty } = options;
	const isChat =
		!textEndpoints.respond.models.includes(model) || textEndpoints.chat.models.includes(model);
	const isRenamed = RENAMED_MODELS.test(model);
	const isReworded = max_tokens !== undefined && (!isChat || isRenamed);
	return {
		model: isRenamed ? `gateway/${model}` : model,
		useResponsesApi: !isChat,
		temperature,
		...(!isReworded && { maxTokens: max_tokens }),
		topP,
		frequencyPenalty,
		presencePenalty,
		maxRetries,
		timeout: timeout * 1000,
		...((isReworded || isRenamed) && {
			additionalParams: { ...(isRenamed && { model }), ...(isReworded && { max_tokens }) },
		}),
	};
}
