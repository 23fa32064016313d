import type { INodeProperties } from 'n8n-workflow';
import { validate } from '../catalog/validate';
import { toProperty } from '../n8n/panel/property';
import { textModelSpec } from '../n8n/textParameters';
import { convertValue } from '../n8n/panel/readPanel';
import { toTitle } from '../catalog/labels';
import { textEndpoints } from '../catalog/textEndpoints';
import type { JsonObject } from '../gateway/context';
import { DEFAULT_RETRY, type RetryOptions } from '../gateway/retry';

const { fields } = textEndpoints.chat;
const NAMES = [
	'frequency_penalty',
	'max_tokens',
	'presence_penalty',
	'temperature',
	'top_p',
] as const;

/** Parameters of chat completions: spec section 2.5. */
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
			description:
				'How often a request that the gateway was too busy for is sent again, after the time it asks for',
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 300,
			description: 'How long to wait for an answer, or for the next piece of one that is streamed',
		},
	],
};

type ChatOptions = Record<string, number | undefined>;

/** An expression may have made text of a number. */
export const readNumbers = (options: Record<string, unknown>): ChatOptions =>
	Object.fromEntries(
		Object.entries(options).map(([name, value]) => [
			name,
			convertValue(value, fields[name] ?? { type: 'number', description: '' }) as number,
		]),
	);

/** Chat completions, unless only the responses endpoint serves the model (spec section 2.5). */
export const endpointOf = (model: string): 'chat' | 'respond' =>
	textEndpoints.respond.models.includes(model) && !textEndpoints.chat.models.includes(model)
		? 'respond'
		: 'chat';

export const readModelParameters = (options: ChatOptions): JsonObject =>
	Object.fromEntries(
		NAMES.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
	);

/** Everything that does not fit the model, in one line. Undefined: all fits. */
export function findOptionProblems(model: string, options: ChatOptions): string | undefined {
	const endpoint = endpointOf(model);
	const parameters = readModelParameters(options);
	const known = textEndpoints[endpoint].fields;
	const unknown = Object.keys(parameters).filter((name) => !(name in known));
	return (
		[
			...validate(textModelSpec(endpoint, model), parameters).issues.map(({ message }) => message),
			...unknown.map((name) => `Remove ${toTitle(name)}: ${model} does not take it`),
		].join('. ') || undefined
	);
}

export const readRetry = ({ maxRetries = 2 }: ChatOptions): RetryOptions => ({
	...DEFAULT_RETRY,
	refusals: maxRetries,
});

export const readTimeoutMs = ({ timeout = 300 }: ChatOptions): number => timeout * 1000;
