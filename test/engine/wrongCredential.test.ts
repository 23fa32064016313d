import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { packageWith } from '../../scripts/package';
import { gatewayNode, modelId, NODE, useGateway, type Menu } from '../support/gateway';

const gateway = useGateway();
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };

describe('a wrong credential', () => {
	const runWith = async (
		credential: { baseUrl?: string; apiKey?: string },
		menu: Menu = 'image:generate',
		parameters: IDataObject = kite,
	) => {
		const { baseUrl = gateway.sandbox.url, apiKey = gateway.sandbox.key } = credential;
		return await runWorkflow(
			linear(itemsNode([{}]), gatewayNode(menu, parameters)),
			packageWith(baseUrl, apiKey),
		);
	};

	it('names the API key where the gateway does not accept it', async () => {
		const run = await runWith({ apiKey: 'nope' });

		expect(run.nodeError(NODE)).toMatchObject({
			message: 'The gateway does not accept the API key: The API key is invalid.',
			description: 'Check API Key in the credential. Keys come from the console of the gateway.',
			context: { details: { http_status: 401, billed: 0, retry: false } },
		});
		expect(gateway.posts()).toHaveLength(1);
		expect(gateway.sandbox.tasks()).toEqual([]);
	});

	it.each(['/', '/v1', '/v1/'])('works with a base URL that ends in %s', async (ending) => {
		expect((await runWith({ baseUrl: `${gateway.sandbox.url}${ending}` })).json(NODE)).toEqual([
			expect.objectContaining({ status: 'completed' }),
		]);
	});

	it('names the address when the base URL has an unknown path', async () => {
		const run = await runWith({ baseUrl: `${gateway.sandbox.url}/proxy` });

		expect(run.nodeError(NODE)).toMatchObject({
			message: 'The gateway does not know this ID or address: There is no POST /proxy/v1/tasks.',
			description: expect.stringContaining('Base URL of the credential'),
		});
	});

	it('asks for the scheme of a base URL', async () => {
		expect((await runWith({ baseUrl: 'gateway.example.com' })).nodeError(NODE)).toMatchObject({
			message:
				'Base URL must start with https:// or http://, e.g. https://gateway.example.com, but is gateway.example.com',
			description: 'Open the Generation Gateway credential and correct it.',
		});
	});

	it('says why an expression in it cannot be evaluated, and sends nothing', async () => {
		const run = await runWith({ apiKey: "={{ $('Nowhere').item.json.key }}" });

		expect(run.nodeError(NODE)).toMatchObject({
			message: "Credential: Referenced node doesn't exist",
			description: 'Open the Generation Gateway credential and correct it.',
			context: { details: { code: 'invalid_credential', billed: 0, retry: false } },
		});
		expect(gateway.sandbox.requests).toEqual([]);
	});

	it('asks for a base URL', async () => {
		expect((await runWith({ baseUrl: '' })).error?.message).toBe(
			'Base URL is empty. Enter the address of the gateway, e.g. https://gateway.example.com',
		);
	});

	it('shows the tasks of another account to nobody', async () => {
		const { data } = await gateway.submit(
			{ model: 'imgn-4.0', prompt: 'a kite' },
			{ authorization: 'Bearer other-key' },
		);
		const run = await runWith({}, 'task:get', { taskId: data.task_id });

		const error = run.nodeError(NODE) as unknown as {
			message: string;
			description: string;
			context: { details: object };
		};
		expect(error.message).toBe(
			`The gateway does not know this ID or address: The task ${data.task_id} was not found.`,
		);
		expect(error.description).toBe(
			'Check the ID and the Base URL of the credential. IDs of other accounts are not visible.',
		);
		expect(error.context.details).toEqual({
			task_id: data.task_id,
			http_status: 404,
			code: 'not_found',
			gateway_code: '404',
			gateway_type: 'not_found_error',
			retry: false,
		});
	});
});
