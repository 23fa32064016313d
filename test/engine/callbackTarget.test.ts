import type { IDataObject } from 'n8n-workflow';
import { gatewayNode, modelId, NODE, runNode, useGateway } from '../support/gateway';
import { toPublicUrl } from '../support/publicHost';

const gateway = useGateway();
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };

describe('an n8n that the gateway cannot reach', () => {
	const runPublic = async (parameters: IDataObject) =>
		await runNode(gatewayNode('image:generate', { ...kite, ...parameters }), [{}], {
			...gateway.options(),
			credentials: {
				generationGatewayApi: {
					baseUrl: toPublicUrl(gateway.sandbox.url),
					apiKey: gateway.sandbox.key,
				},
			},
		});

	it.each([
		['Suspend Execution Until Done', { wait: 'suspend' }],
		['Call Back This Execution', { wait: 'none', options: { callbackExecution: true } }],
	])('is noticed before a task is paid: %s', async (_name, parameters) => {
		const run = await runPublic(parameters);

		expect(run.nodeError(NODE)).toMatchObject({
			message: 'The gateway cannot reach this n8n at localhost:5678',
			context: { details: { code: 'instance_unreachable', billed: 0 } },
		});
		expect(gateway.posts()).toEqual([]);
	});

	it('is an advice of Check Price Only, beside the price', async () => {
		const run = await runPublic({ wait: 'suspend', options: { dryRun: true } });

		expect(run.json(NODE)).toMatchObject([
			{
				estimated_cost_usd: 0.0425,
				advice: ['The gateway cannot reach this n8n at localhost:5678'],
			},
		]);
	});

	it('is named after what is wrong with the row', async () => {
		const run = await runPublic({ wait: 'suspend', aspect_ratio: '7:1' });

		expect(run.nodeError(NODE)?.message).toContain('Aspect Ratio must be');
	});

	it('is said of a Callback URL, which may be that of another machine', async () => {
		const callback_url = 'http://localhost:5678/webhook/abc/callback';
		const run = await runPublic({ wait: 'none', options: { callback_url } });

		expect(run.hints(NODE)).toContainEqual(
			expect.objectContaining({
				message: 'The gateway probably cannot reach Callback URL, localhost:5678',
			}),
		);
		expect(gateway.posts()).toHaveLength(1);
	});
});

describe('a callback in Parameters beside one to this execution', () => {
	const submit = async (body: IDataObject, more: IDataObject) =>
		await gateway.run('task:submit', {
			model: modelId('imgn-4.0'),
			parameters: JSON.stringify({ prompt: 'a kite', ...body }),
			...more,
		});

	it.each([
		['Suspend Execution Until Done', { wait: 'suspend' }],
		['Call Back This Execution', { wait: 'none', options: { callbackExecution: true } }],
	])('is refused, as the option is: %s', async (name, more) => {
		const run = await submit({ callback_url: 'https://example.com/hook' }, more);

		expect(run.nodeError(NODE)?.message).toBe(
			`Callback URL and ${name} exclude each other. Remove one of them`,
		);
		expect(gateway.posts()).toEqual([]);
	});

	it.each(['', null])('counts as none where it is %j', async (callback_url) => {
		const run = await submit(
			{ callback_url },
			{ wait: 'none', options: { callbackExecution: true } },
		);

		expect(run.status).toBe('success');
	});

	it('does not choose its events: the execution waits for every end', async () => {
		await submit(
			{ callback_events: ['failed'] },
			{ wait: 'none', options: { callbackExecution: true } },
		);

		expect(gateway.bodies()).toEqual([
			{
				model: 'imgn-4.0',
				prompt: 'a kite',
				callback_url: expect.stringContaining('/webhook-waiting/'),
			},
		]);
	});
});
