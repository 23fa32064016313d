import type { IDataObject, IExecuteFunctions, INodeType } from 'n8n-workflow';
import { createLimiter } from '../../nodes/gateway/concurrency';

const CREDENTIAL = 'generationGatewayApi';

/**
 * What nobody can beat: n8n's own HTTP helper and nothing else. It knows how long the tasks take,
 * submits them all, so many at once, and gets each one at the moment it ends. Made for this contest.
 */
export class Bare implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Bare',
		name: 'bare',
		group: ['transform'],
		version: 1,
		description: 'Two calls for each task',
		defaults: { name: 'Bare' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: CREDENTIAL, required: true }],
		properties: [
			{ displayName: 'Body', name: 'body', type: 'json', default: '{}' },
			{ displayName: 'Concurrency', name: 'concurrency', type: 'number', default: 20 },
			{ displayName: 'Milliseconds', name: 'taskMs', type: 'number', default: 0 },
		],
	};

	async execute(this: IExecuteFunctions) {
		const limit = createLimiter(this.getNodeParameter('concurrency', 0) as number);
		const taskMs = this.getNodeParameter('taskMs', 0) as number;
		const request = async (method: 'GET' | 'POST', url: string, body?: IDataObject) =>
			await limit(
				async () =>
					(await this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, {
						method,
						url,
						body,
						json: true,
					})) as IDataObject,
			);
		const awaitTask = async (index: number) => {
			const body = this.getNodeParameter('body', index) as string | IDataObject;
			const sent = typeof body === 'string' ? (JSON.parse(body) as IDataObject) : body;
			const { task_id } = await request('POST', '/v1/tasks', sent);
			await new Promise((resolve) => setTimeout(resolve, taskMs));
			const json = await request('GET', `/v1/tasks/${String(task_id)}`);
			if (json.status !== 'completed') throw new Error(`The task is ${String(json.status)}`);
			return { json, pairedItem: { item: index } };
		};
		return [await Promise.all(this.getInputData().map((_, index) => awaitTask(index)))];
	}
}
