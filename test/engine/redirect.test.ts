import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { json, useStubGateway } from '../support/stubGateway';
import { modelId, NODE } from '../support/gateway';

const stub = useStubGateway();
const kept: string[] = [];
let other: Server;

beforeAll(async () => {
	other = createServer(({ headers }, response) => {
		kept.push(JSON.stringify(headers));
		json(response, {});
	});
	await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
});
afterAll(() => void other.close());
beforeEach(() => void (kept.length = 0));

const hello = { messages: { entry: [{ role: 'user', text: 'Hello' }] } };
const calls: [menu: `${string}:${string}`, parameters: IDataObject][] = [
	['image:generate', { model: modelId('imgn-4.0'), prompt: 'a kite' }],
	['task:get', { taskId: 'task_1' }],
	['text:chat', { model: modelId('gp-5'), ...hello }],
	['text:message', { model: modelId('cld-haiku-4.5'), ...hello }],
	['text:message', { model: modelId('cld-haiku-4.5'), ...hello, options: { stream: true } }],
	['text:generateContent', { model: modelId('gmn-2.5-pro'), ...hello }],
	['asset:getAll', {}],
];

describe('a gateway that redirects to another host', () => {
	it.each(calls)('does not get the key there: %s %j', async (menu, parameters) => {
		const location = () => `http://localhost:${(other.address() as AddressInfo).port}/x`;
		stub.answer = (response) =>
			void response.writeHead(307, { location: `${location()}?signature=s3cr3t` }).end();
		const run = await stub.run(menu, parameters);

		expect(kept).toEqual([]);
		expect(run.nodeError(NODE)?.message).toBe(
			`The gateway points to another address: ${location()} (status 307)`,
		);
		expect(run.nodeError(NODE)?.description).toContain('enter its address as Base URL');
	});
});
