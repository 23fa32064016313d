import type { IDataObject, INode } from 'n8n-workflow';
import type { NodeSpec } from '../../scripts/engine/builder';
import type { Address } from './flow';

/** n8n's HTTP Request; a row that is refused goes on with its error. */
export const httpRequest = (
	name: string,
	{ key }: Address,
	method: 'GET' | 'POST',
	url: string,
	body?: string,
	options: IDataObject = {},
): NodeSpec => ({
	name,
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	onError: 'continueRegularOutput',
	parameters: {
		method,
		url,
		sendHeaders: true,
		headerParameters: { parameters: [{ name: 'Authorization', value: `Bearer ${key}` }] },
		...(body && { sendBody: true, specifyBody: 'json', jsonBody: body }),
		options: options as INode['parameters'],
	},
});

/** The body of an image task. */
export const TASK =
	"={{ JSON.stringify({ model: 'gmn-2.5-flash-image-preview', prompt: $json.prompt }) }}";
const CHAT =
	"={{ JSON.stringify({ model: 'gp-4o-mini', messages: [{ role: 'user', content: $json.prompt }] }) }}";

/** At most `size` requests every `everyMs`; without it, all at once. */
export const batching = (size: number, everyMs: number): IDataObject => ({
	batching: { batch: { batchSize: size, batchInterval: everyMs } },
});

export const httpChat = (at: Address, options?: IDataObject): NodeSpec =>
	httpRequest('Chat', at, 'POST', `${at.url}/v1/chat/completions`, CHAT, options);

/** Submits an image task, and does not wait for it. */
export const httpTask = (at: Address, options?: IDataObject): NodeSpec =>
	httpRequest('Submit', at, 'POST', `${at.url}/v1/tasks`, TASK, options);

export const httpEmbedding = (at: Address): NodeSpec =>
	httpRequest(
		'Embed',
		at,
		'POST',
		`${at.url}/v1/embeddings`,
		"={{ JSON.stringify({ model: 'text-embedding-3-small', input: $json.prompt }) }}",
	);

/** n8n's HTTP Request with the file of a link. */
export const httpDownload = (link: string): NodeSpec => ({
	name: 'Download',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: { url: link, options: { response: { response: { responseFormat: 'file' } } } },
});

export const httpTranscribe = (at: Address): NodeSpec => {
	const request = httpRequest('Transcribe', at, 'POST', `${at.url}/v1/audio/transcriptions`);
	const form = [
		{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' },
		{ parameterType: 'formData', name: 'model', value: 'asr-1' },
	];
	return {
		...request,
		onError: undefined,
		parameters: {
			...request.parameters,
			sendBody: true,
			contentType: 'multipart-form-data',
			bodyParameters: { parameters: form },
		},
	};
};
