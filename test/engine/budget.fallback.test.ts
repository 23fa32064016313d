import type { IDataObject } from 'n8n-workflow';
import { gatewayNode, modelId, NODE, runNode, useGateway } from '../support/gateway';
import { toPublicUrl } from '../support/publicHost';

const gateway = useGateway();
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
const hints = (run: Awaited<ReturnType<typeof gateway.run>>) =>
	run
		.hints(NODE)
		.map(({ message }) => message)
		.join('\n');

describe('a known price above a limit, beside a fallback model without a price that may be sent', () => {
	it.each(['maximumCost', 'maximumRunCost', 'maximumDailyCost'])(
		'refuses a text, by %s',
		async (limit) => {
			const run = await gateway.run('text:chat', {
				model: modelId('gp-5-mini'),
				messages: { entry: [{ role: 'user', text: 'Hello' }] },
				options: {
					[limit]: 0.001,
					max_tokens: 1000,
					unknownPrice: 'send',
					fallbackModels: 'a-model-without-a-price',
				},
			});

			expect(run.nodeError(NODE)!.message).toContain('is estimated at $0.00412');
			expect(gateway.sandbox.requests.map(({ path }) => path)).toEqual(['/v1/models']);
		},
	);

	const video = (options: IDataObject = {}) => ({
		model: modelId('clipk-v3'),
		prompt: 'a kite',
		duration: 5,
		resolution: '={{ $json.resolution }}',
		options: {
			unknownPrice: 'send',
			fallbackModels: 'pxv-v6',
			omitUnsupported: true,
			output: 'links',
			...options,
		},
	});
	const items = [{ resolution: '720p' }, { resolution: '4K' }];

	it.each([{}, { dryRun: true }])(
		'refuses a row before the others are paid: %j',
		async (options) => {
			const limited = video({ maximumCost: 1, ...options });
			const run = await gateway.run('video:generate', limited, { items });

			expect(run.nodeError(NODE)!.message).toContain('Cost Limit per Item is $1.00');
			expect(gateway.sandbox.tasks()).toHaveLength(0);
		},
	);

	it('lets rows without a price go one after another, whatever their fallback would cost', async () => {
		const unpriced = { ...video({ maximumRunCost: 3, fallbackModels: 'clipk-v3' }), duration: 15 };
		const rows = [1, 2, 3].map((row) => ({ resolution: '540p', row }));
		const parameters = { ...unpriced, model: modelId('pxv-v6'), prompt: '=kite {{ $json.row }}' };
		const run = await gateway.run('video:generate', parameters, { items: rows });

		expect(run.json(NODE)).toHaveLength(3);
	});

	it('is sent where it just fits', async () => {
		const limited = video({ maximumRunCost: 0.357 });
		const run = await gateway.run('video:generate', limited, { items: [items[0]!] });

		expect(run.json(NODE)).toMatchObject([{ status: 'completed', cost_usd: 0.357 }]);
	});
});

describe('Check Price Only', () => {
	it('counts once what rows with one Idempotency Key cost', async () => {
		const options = { dryRun: true, idempotencyKey: 'row-1' };
		const run = await gateway.run('image:generate', { ...kite, options }, { items: [{}, {}, {}] });

		expect(hints(run)).toContain('3 items: $0.0425. Nothing was sent');
	});

	it('has the price of the fallback where the chosen model is retired', async () => {
		const run = await gateway.run('video:generate', {
			model: modelId('gx-imagine-1.0-video-rev'),
			prompt: 'a kite',
			extra_body: '{ "duration": 3 }',
			options: { dryRun: true, fallbackModels: 'clipk-v3' },
		});

		expect(hints(run)).toContain('1 item: $0.2142');
	});
});

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
		['Until Done, Without a Worker', { wait: 'suspend' }],
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

		expect(hints(run)).toContain('The gateway probably cannot reach Callback URL, localhost:5678');
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
		['Until Done, Without a Worker', { wait: 'suspend' }],
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
