import type { IDataObject, IExecuteFunctions, INodeType } from 'n8n-workflow';

/** Looks this often, which is often for a node of its kind. */
const POLL_MS = 1_000;

/** Submits a task and waits for it, item after item, as nodes of generation services do. Made for this contest. */
export class Serial implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Serial',
		name: 'serial',
		group: ['transform'],
		version: 1,
		description: 'Awaits one task after another',
		defaults: { name: 'Serial' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [
			{ displayName: 'URL', name: 'url', type: 'string', default: '' },
			{ displayName: 'Key', name: 'key', type: 'string', default: '' },
			{ displayName: 'Body', name: 'body', type: 'json', default: '{}' },
		],
	};

	async execute(this: IExecuteFunctions) {
		const done = [];
		for (let index = 0; index < this.getInputData().length; index += 1) {
			const url = this.getNodeParameter('url', index) as string;
			const headers = { authorization: `Bearer ${this.getNodeParameter('key', index) as string}` };
			const body = this.getNodeParameter('body', index) as string | IDataObject;
			const request = async (method: 'GET' | 'POST', path: string, sent?: IDataObject) =>
				(await this.helpers.httpRequest({
					method,
					url: `${url}${path}`,
					headers,
					body: sent,
					json: true,
				})) as IDataObject;
			let task = await request(
				'POST',
				'/v1/tasks',
				typeof body === 'string' ? (JSON.parse(body) as IDataObject) : body,
			);
			while (task.status !== 'completed') {
				await new Promise((resolve) => setTimeout(resolve, POLL_MS));
				task = await request('GET', `/v1/tasks/${String(task.task_id)}`);
			}
			done.push({ json: task, pairedItem: { item: index } });
		}
		return [done];
	}
}
