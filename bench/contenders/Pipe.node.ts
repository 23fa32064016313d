import type { IDataObject, IExecuteFunctions, INodeType } from 'n8n-workflow';

/**
 * Hands each piece of a response to the client of the workflow as it comes from the network, unread: the
 * least that a node of n8n can do to stream. Made for this contest.
 */
export class Pipe implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Pipe',
		name: 'pipe',
		group: ['transform'],
		version: 1,
		description: 'Passes on a response as it comes',
		defaults: { name: 'Pipe' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [
			{ displayName: 'URL', name: 'url', type: 'string', default: '' },
			{ displayName: 'Key', name: 'key', type: 'string', default: '' },
			{ displayName: 'Body', name: 'body', type: 'json', default: '{}' },
		],
	};

	async execute(this: IExecuteFunctions) {
		const body = this.getNodeParameter('body', 0) as string | IDataObject;
		const pieces = (await this.helpers.httpRequest({
			method: 'POST',
			url: `${this.getNodeParameter('url', 0) as string}/v1/chat/completions`,
			headers: {
				authorization: `Bearer ${this.getNodeParameter('key', 0) as string}`,
				'content-type': 'application/json',
			},
			body: typeof body === 'string' ? body : JSON.stringify(body),
			encoding: 'stream',
			json: false,
		})) as AsyncIterable<Buffer>;
		this.sendChunk('begin', 0);
		for await (const piece of pieces) this.sendChunk('item', 0, piece.toString());
		this.sendChunk('end', 0);
		return [[{ json: {}, pairedItem: { item: 0 } }]];
	}
}
