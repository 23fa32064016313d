import type { INodeProperties } from 'n8n-workflow';
import { toTitle } from '../../catalog/labels';
import { textEndpoints, type TextEndpointId } from '../../catalog/textEndpoints';
import { textParameter } from '../../n8n/parameters';
import { joinOptions } from './joinOptions';

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
				? 'What is said. If the last message is from the assistant, the answer continues it.'
				: 'What is said',
		},
		binaryFields.property,
		...(takesImageUrls ? [imageUrl.property] : []),
		...(takesVideoUrls ? [videoUrl.property] : []),
	];
}

/** Shared by the operations, so that n8n's editor keeps it when the operation changes. */
const messages: INodeProperties = {
	displayName: 'Messages',
	name: 'messages',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Message',
	default: { entry: [{ role: 'user', text: '' }] },
	options: [{ name: 'entry', displayName: 'Message', values: joinOptions(messageFields) }],
	displayOptions: { show: { '/messagesFrom': ['fields'] } },
};

/** A message in the format of each endpoint. */
const MESSAGES: Record<TextEndpointId, string> = {
	chat: '{ "role": "user", "content": "Hello" }',
	respond: '{ "role": "user", "content": [{ "type": "input_text", "text": "Hello" }] }',
	message: '{ "role": "user", "content": "Hello" }',
	generateContent: '{ "role": "user", "parts": [{ "text": "Hello" }] }',
};

/** Messages as fields or as JSON. */
export function messageProperties(endpoint: TextEndpointId): INodeProperties[] {
	return [
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
	];
}
