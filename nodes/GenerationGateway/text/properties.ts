import type { INodeProperties } from 'n8n-workflow';
import { textParameterProperties } from '../../n8n/textParameters';
import { toTitle } from '../../catalog/labels';
import { textEndpoints, type TextEndpointId } from '../../catalog/families';
import { concurrency, extraBody, optionsCollection, simplify } from '../../n8n/options';
import { modelLocator } from '../../n8n/modelLocator';

const binaryFields: INodeProperties = {
	displayName: 'Input Binary Fields',
	name: 'binaryFields',
	type: 'string',
	default: '',
	placeholder: 'e.g. data',
	description:
		'Names of the input binary fields whose files go with the message, separated by commas',
};
const imageUrl: INodeProperties = {
	displayName: 'Image URL',
	name: 'image_url',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://example.com/photo.png',
	description: 'Link to an image that goes with the message; an expression may give a list',
};
const videoUrl: INodeProperties = {
	displayName: 'Video URL',
	name: 'video_url',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://example.com/clip.mp4',
	description: 'Link to a video that goes with the message; only some models take one',
};

function messageFields(style: TextEndpointId): INodeProperties[] {
	const { roles } = textEndpoints[style];
	return [
		{
			displayName: 'Role',
			name: 'role',
			type: 'options',
			options: roles.map((role) => ({ name: toTitle(role), value: role })),
			default: 'user',
			description: 'Who says it',
		},
		{
			displayName: 'Text',
			name: 'text',
			type: 'string',
			typeOptions: { rows: 3 },
			default: '',
			placeholder: 'e.g. Describe a red kite in one sentence',
			description:
				style === 'message'
					? 'What is said. A last message of the assistant begins its answer.'
					: 'What is said',
		},
		binaryFields,
		...(style === 'generateContent' ? [] : [imageUrl]),
		...(style === 'respond' ? [videoUrl] : []),
	];
}

const system: INodeProperties = {
	displayName: 'System Instructions',
	name: 'system',
	type: 'string',
	typeOptions: { rows: 2 },
	default: '',
	placeholder: 'e.g. Answer in one sentence',
	description: 'How the model should behave in the whole conversation',
};
const maxTokens: INodeProperties = {
	displayName: 'Maximum Tokens',
	name: 'max_tokens',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	required: true,
	default: 1024,
	description: 'Longest answer, in tokens; this endpoint always needs it',
};
const outputFormat: INodeProperties = {
	displayName: 'Output Format',
	name: 'outputFormat',
	type: 'options',
	options: [
		{
			name: 'JSON',
			value: 'json',
			description: 'Asks for JSON and parses it into the field "data"',
		},
		{ name: 'Text', value: 'text' },
	],
	default: 'text',
	description: 'What the answer is read as',
};
const jsonSchema: INodeProperties = {
	displayName: 'JSON Schema',
	name: 'jsonSchema',
	type: 'json',
	default: '',
	placeholder: 'e.g. { "type": "object", "properties": { "title": { "type": "string" } } }',
	description: 'Shape of the answer when Output Format is JSON',
};
const stream: INodeProperties = {
	displayName: 'Stream',
	name: 'stream',
	type: 'boolean',
	default: true,
	description:
		'Whether to read the answer while it is written, so that a long one does not end at a timeout. In a workflow that streams, it is on unless switched off here.',
};
/** The panel of one style of text endpoint: spec section 2.5. */
export function textProperties(style: TextEndpointId): INodeProperties[] {
	const options = [
		...textParameterProperties(style),
		concurrency,
		extraBody,
		jsonSchema,
		simplify,
		...(textEndpoints[style].streams ? [stream] : []),
	];
	return [
		modelLocator(style),
		{
			displayName: 'Messages From',
			name: 'messagesFrom',
			type: 'options',
			options: [
				{ name: 'Fields Below', value: 'fields' },
				{
					name: 'JSON',
					value: 'json',
					description: 'A list of messages as the endpoint takes them, e.g. from an expression',
				},
			],
			default: 'fields',
			description: 'Where the messages come from',
		},
		{
			displayName: 'Messages',
			name: 'messages',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, sortable: true },
			placeholder: 'Add Message',
			default: { entry: [{ role: 'user', text: '' }] },
			options: [{ name: 'entry', displayName: 'Message', values: messageFields(style) }],
			displayOptions: { show: { messagesFrom: ['fields'] } },
		},
		{
			displayName: 'Messages (JSON)',
			name: 'messagesJson',
			type: 'json',
			default: `[\n  { "role": "user", "${style === 'generateContent' ? 'parts": [{ "text": "Hello" }]' : 'content": "Hello"'} }\n]`,
			description: 'The messages as the endpoint takes them',
			displayOptions: { show: { messagesFrom: ['json'] } },
		},
		...(style === 'generateContent' ? [] : [system]),
		...(style === 'message' ? [maxTokens] : []),
		outputFormat,
		optionsCollection(options.sort(byLabel)),
	];
}

/** A comparison by the rules of a language would load them, 7 ms at the start of n8n. */
const byLabel = (a: INodeProperties, b: INodeProperties) =>
	a.displayName.toLowerCase() < b.displayName.toLowerCase() ? -1 : 1;
