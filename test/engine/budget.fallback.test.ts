import type { IDataObject } from 'n8n-workflow';
import { modelId, NODE, useGateway } from '../support/gateway';
import { json, useStubGateway } from '../support/stubGateway';

const gateway = useGateway();
const stub = useStubGateway();
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

	it.each([['k,k,other'], ['k,k,j,j,l,l']])(
		'lets rows without a price go one after another when the first model refuses them, with the keys %s',
		async (keys) => {
			const made = new Map<unknown, number>();
			stub.answer = (response, body, { method, url = '', headers }) => {
				const key = headers['idempotency-key'];
				if (body.model === 'flx-2-pro') return json(response, { error: { message: 'No' } }, 400);
				if (method === 'POST') made.set(key, made.get(key) ?? made.size + 1);
				const task_id =
					method === 'POST' ? `task_${keys.length}_${made.get(key)}` : url.split('/').at(-1);
				const result = { images: [{ url: ['https://example.com/a.png'] }] };
				const state = method === 'GET' && { status: 'completed', cost: 25_000, result };
				json(response, { task_id, model: 'flx-2-flex', status: 'processing', ...state });
			};
			const fallbackModels = 'flx-2-flex';
			const idempotencyKey = '={{ $json.key }}';
			const limited = { maximumRunCost: 0.05, unknownPrice: 'send', output: 'links' };
			const parameters = {
				...{ model: modelId('flx-2-pro'), prompt: '={{ $json.key }}', wait: 'poll' },
				options: { ...limited, fallbackModels, idempotencyKey },
			};
			const items = keys.split(',').map((key) => ({ key }));
			const node = { onError: 'continueRegularOutput' as const };
			await stub.run('image:generate', parameters, { items, node });

			expect(made.size).toBe(1);
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

it('does not hide that a limit was passed behind what is said of each item', async () => {
	gateway.sandbox.faults.injection = ({ method, body }) =>
		method === 'POST' && (body as IDataObject).model === 'imgn-4.0'
			? { kind: { status: 400 } }
			: undefined;
	gateway.sandbox.settings.settle = (held) => held * 10;
	const options = { fallbackModels: 'qwn-image-2.0', maximumRunCost: 0.3 };
	const prompt = '={{ "kite " + $json.row }}';
	const items = Array.from({ length: 7 }, (_, row) => ({ row }));
	const run = await gateway.run('image:generate', { ...kite, prompt, options }, { items });

	expect(hints(run)).toContain('Cost Limit per Execution is $0.30, but');
	expect(hints(run)).toMatch(/qwn-image-2\.0 was tried instead of imgn-4\.0 \(7 items\)/);
});
