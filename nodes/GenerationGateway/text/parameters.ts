import type { INodeProperties } from 'n8n-workflow';
import { toTitle } from '../../catalog/labels';
import { textEndpoints, type TextEndpointId } from '../../catalog/textEndpoints';
import { textAdapters } from '../../gateway/text';
import {
	concurrency,
	extraBody,
	fallbackModels,
	includeInput,
	offerLater,
	offerWhen,
	optionsCollection,
	propertyOf,
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

const binaryFields = textParameter({
	displayName: 'Input Data Field Names',
	name: 'binaryFields',
	placeholder: 'e.g. data',
	description: 'Binary fields whose files go with the message, separated by commas',
});
const imageUrl = textParameter({
	displayName: 'Image URL',
	name: 'image_url',
	placeholder: 'e.g. https://example.com/photo.png',
	description: 'Link to an image; an expression may give a list',
});
const videoUrl = textParameter({
	displayName: 'Video URL',
	name: 'video_url',
	placeholder: 'e.g. https://example.com/clip.mp4',
	description: 'Link to a video; only some models take one',
});

function messageFields(endpoint: TextEndpointId): INodeProperties[] {
	const { roles, takesImageUrls, takesVideoUrls, alternates } = textEndpoints[endpoint];
	return [
		{
			displayName: 'Role',
			name: 'role',
			type: 'options',
			options: roles.map((role) => ({ name: toTitle(role), value: role })),
			default: 'user',
		},
		{
			displayName: 'Text',
			name: 'text',
			type: 'string',
			typeOptions: { rows: 3 },
			default: '',
			placeholder: 'e.g. Describe this picture in one sentence',
			description: alternates
				? 'What is said. A last message of the assistant begins its answer.'
				: 'What is said',
		},
		binaryFields.property,
		...(takesImageUrls ? [imageUrl.property] : []),
		...(takesVideoUrls ? [videoUrl.property] : []),
	];
}

export const system = textParameter({
	name: 'system',
	displayName: 'System Instructions',
	rows: 2,
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
	description: 'What the answer is read as',
});

export const jsonSchema = objectParameter({
	name: 'jsonSchema',
	displayName: 'JSON Schema',
	placeholder: 'e.g. { "type": "object", "properties": {} }',
	description: 'Shape of the answer when Output Format is JSON',
});

export const stream = switchParameter({
	name: 'stream',
	displayName: 'Stream',
	description: 'Whether to read a long answer while it is written. On in a workflow that streams.',
});

export const maxSilence = numberParameter({
	name: 'maxSilence',
	displayName: 'Max Silence (Seconds)',
	description: 'After this time without data the answer counts as broken off',
	min: 1,
	fallback: 60,
});

/** A message in the format of each endpoint. */
const MESSAGES: Record<TextEndpointId, string> = {
	chat: '{ "role": "user", "content": "Hello" }',
	respond: '{ "role": "user", "content": [{ "type": "input_text", "text": "Hello" }] }',
	message: '{ "role": "user", "content": "Hello" }',
	generateContent: '{ "role": "user", "parts": [{ "text": "Hello" }] }',
};

/** What any endpoint offers, each under the operations that offer it. */
function joinEndpoints(list: (endpoint: TextEndpointId) => Option[]): INodeProperties[] {
	const operations = new Map<string, string[]>();
	for (const endpoint of Object.keys(textEndpoints) as TextEndpointId[])
		for (const option of list(endpoint)) {
			const key = JSON.stringify(propertyOf(option));
			operations.set(key, [...(operations.get(key) ?? []), endpoint]);
		}
	return [...operations].map(([key, names]) => {
		const property = JSON.parse(key) as INodeProperties;
		const { displayOptions } = property;
		const show = { ...displayOptions?.show, '/operation': names };
		return offerWhen(property, { ...displayOptions, show });
	});
}

/** The operations share this and the options, so that n8n's editor keeps both when the operation changes. */
const messages: INodeProperties = {
	displayName: 'Messages',
	name: 'messages',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Message',
	default: { entry: [{ role: 'user', text: '' }] },
	options: [{ name: 'entry', displayName: 'Message', values: joinEndpoints(messageFields) }],
	displayOptions: { show: { '/messagesFrom': ['fields'] } },
};

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

const options = optionsCollection(joinEndpoints(listOptions));

/** The panel of one text endpoint: spec section 2.5. */
export function textProperties(endpoint: TextEndpointId): INodeProperties[] {
	const fields = Object.entries(textEndpoints[endpoint].fields);
	const required = fields.filter(([, field]) => field.required);
	return [
		modelLocator(endpoint),
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
		},
		messages,
		{
			displayName: 'Messages (JSON)',
			name: 'messagesJson',
			type: 'json',
			default: `[\n  ${MESSAGES[endpoint]}\n]`,
			description: 'The messages as the endpoint takes them',
			displayOptions: { show: { messagesFrom: ['json'] } },
		},
		system.property,
		...required.map(([name, field]) => toProperty(name, field, true, true)),
		outputFormat.property,
		options,
	];
}
