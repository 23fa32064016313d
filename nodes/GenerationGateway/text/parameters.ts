import type { INodeProperties } from 'n8n-workflow';
import { textEndpoints, type TextEndpointId } from '../../catalog/textEndpoints';
import type { JsonObject } from '../../gateway/json';
import { textAdapters } from '../../gateway/text';
import {
	concurrency,
	extraBody,
	fallbackModels,
	includeInput,
	offerLater,
	offerWhen,
	optionsCollection,
	simplify,
	type Option,
} from '../../n8n/options';
import { modelLocator } from '../../n8n/modelLocator';
import {
	choiceParameter,
	numberParameter,
	objectParameter,
	switchParameter,
	textParameter,
} from '../../n8n/parameters';
import { toProperty } from '../../n8n/panel/property';
import { textParameterProperties } from '../../n8n/textParameters';
import { costLimits } from '../account/costOptions';
import { joinOptions } from './joinOptions';
import { messageProperties } from './messageParameters';

export const system = textParameter({
	name: 'system',
	displayName: 'System Instructions',
	typeOptions: { rows: 2 },
	acceptsJson: true,
	placeholder: 'e.g. Answer in one sentence',
	description: 'How the model should behave in the whole conversation',
});

export const outputFormat = choiceParameter({
	name: 'outputFormat',
	displayName: 'Output Format',
	options: [
		{
			name: 'JSON',
			value: 'json',
			description: 'Asks for JSON and parses it into the field "data"',
		},
		{ name: 'Text', value: 'text' },
	],
	fallback: 'text',
	description: 'How to read the answer',
});

export const jsonSchema = objectParameter({
	name: 'jsonSchema',
	displayName: 'JSON Schema',
	description:
		'Shape of the answer, e.g. { "type": "object", "properties": { "title": { "type": "string" } } }',
});

/** What stands at the top of a schema: one of these at least. */
const SCHEMA_WORD =
	/^(\$.*|type|properties|required|items|prefixItems|enum|const|anyOf|oneOf|allOf|not|if|(additional|pattern)Properties)$/;

/** Returns why it is no schema: people write an example, and the model answers anything. */
export function findSchemaProblem(schema: JsonObject = {}): string | undefined {
	const names = Object.keys(schema);
	if (!names.length || names.some((name) => SCHEMA_WORD.test(name))) return undefined;
	return `JSON Schema is an example, not a schema. Write e.g. { "type": "object", "properties": { ${JSON.stringify(names[0])}: { "type": "string" } } }`;
}

export const stream = switchParameter({
	name: 'stream',
	displayName: 'Stream',
	description:
		'Whether to read a long answer while it is written. On by itself where the workflow streams to its caller.',
});

export const maxSilence = numberParameter({
	name: 'maxSilence',
	displayName: 'Max Silence (Seconds)',
	description: 'After this time without data, a streamed answer that has begun fails',
	min: 1,
	fallback: 60,
});

const listOptions = (endpoint: TextEndpointId): Option[] => [
	...textParameterProperties(endpoint),
	offerWhen(jsonSchema, { show: { '/outputFormat': ['json'] } }),
	...(textAdapters[endpoint].createStreamParser ? [stream, offerLater(maxSilence)] : []),
	fallbackModels,
	concurrency,
	...costLimits(offerLater),
	extraBody,
	includeInput,
	simplify,
];

/** Shared by the operations, as the messages are. */
const options = optionsCollection(joinOptions(listOptions));

/** The panel of one text endpoint: spec section 2.5. */
export function textProperties(endpoint: TextEndpointId): INodeProperties[] {
	const fields = Object.entries(textEndpoints[endpoint].fields);
	const required = fields.filter(([, field]) => field.required);
	return [
		modelLocator(endpoint),
		...messageProperties(endpoint),
		system.property,
		...required.map(([name, field]) => toProperty(name, field, true, true)),
		outputFormat.property,
		options,
	];
}
