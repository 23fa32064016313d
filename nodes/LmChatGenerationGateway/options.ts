import type { INodeProperties, ISupplyDataFunctions } from 'n8n-workflow';
import { toTitle } from '../catalog/labels';
import { textEndpoints, type Fields } from '../catalog/families';
import { validate } from '../catalog/validate';
import { pick } from '../gateway/json';
import { DEFAULT_RETRY } from '../gateway/retry';
import type { ItemReader } from '../n8n/itemReader';
import { optionsCollection } from '../n8n/options';
import { toProperty } from '../n8n/panel/property';
import { numberParameter } from '../n8n/parameters';
import { readTextParameters, textModelSpec } from '../n8n/textParameters';

const NAMES = ['frequency_penalty', 'max_tokens', 'presence_penalty', 'temperature', 'top_p'];
const fields = pick(textEndpoints.chat.fields, NAMES) as Fields;

const maxRetries = numberParameter({
	name: 'maxRetries',
	displayName: 'Maximum Retries',
	description:
		'How many times to send a request again when the gateway is too busy. With 0, the fallback model of an agent takes over at once.',
	min: 0,
	isInteger: true,
	fallback: 2,
});

const timeout = numberParameter({
	name: 'timeout',
	displayName: 'Timeout (Seconds)',
	description: 'How long to wait for an answer, or for the next piece of one that is streamed',
	min: 1,
	fallback: 300,
});

/** Parameters of chat completions (spec section 2.5), and how long to try. */
export const chatOptions: INodeProperties = optionsCollection([
	...Object.entries(fields).map(([name, field]) => toProperty(name, field, false, true)),
	maxRetries,
	timeout,
]);

/** Chat completions, unless only the responses endpoint serves the model (spec section 2.5). */
const endpointOf = (model: string): 'chat' | 'respond' =>
	textEndpoints.respond.models.includes(model) && !textEndpoints.chat.models.includes(model)
		? 'respond'
		: 'chat';

export type ChatOptions = ReturnType<typeof readChatOptions>;

/** Reads the options, and adds an issue for everything that does not fit the model. */
export function readChatOptions(item: ItemReader<ISupplyDataFunctions>, model: string) {
	const endpoint = endpointOf(model);
	const parameters = readTextParameters(item, fields);
	item.issues.push(...validate(textModelSpec(endpoint, model), parameters).issues);
	for (const name of Object.keys(parameters))
		if (!(name in textEndpoints[endpoint].fields))
			item.addIssue(name, `Remove ${toTitle(name)}: ${model} does not take it`);
	return {
		/** The one that serves the model. */
		endpoint,
		/** Under their wire names. */
		parameters,
		retry: { ...DEFAULT_RETRY, refusals: item.option(maxRetries) },
		/** Longest silence, in milliseconds. */
		timeoutMs: item.option(timeout) * 1000,
	};
}
