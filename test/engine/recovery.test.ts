import { NodeConnectionTypes, type IExecuteFunctions, type INodeType } from 'n8n-workflow';
import { itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { awaitAsset } from '../../nodes/gateway/assets/api';
import { readAsset } from '../../nodes/gateway/assets/schema';
import { typeOf } from '../../scripts/package';
import { onFastClock } from '../support/fastClock';
import { withClient } from '../support/gatewayClient';
import { modelId, NODE, useGateway } from '../support/gateway';
import { json, useStubGateway } from '../support/stubGateway';

const gateway = useGateway();
const stub = useStubGateway();
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
const goOn = { onError: 'continueRegularOutput' } as const;

describe('what was paid for is not lost', () => {
	it('by a waiting time that is no whole number of milliseconds', async () => {
		gateway.sandbox.settings.taskMs = 700;
		gateway.sandbox.settings.maxWaitSeconds = 0;
		const run = await gateway.run('image:generate', {
			...kite,
			options: { timeout: '={{ 100 / 7 }}' },
		});

		expect(run.error).toBeUndefined();
		expect(run.json(NODE)).toEqual([expect.objectContaining({ status: 'completed' })]);
	});

	it('when every link has expired and the run stops: the tasks are named', async () => {
		gateway.sandbox.settings.linkValiditySeconds = 0;
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { download: 'data' } },
			{ items: [{}, {}, {}] },
		);

		const description = run.nodeError(NODE)?.description ?? '';
		for (const { task_id } of gateway.sandbox.tasks()) expect(description).toContain(task_id);
	});

	it('when a tool is tried again: each try counts as a run of its own, and lands on the same task', async () => {
		gateway.sandbox.faults.add({ match: { path: /^\/files\// }, times: 3, kind: { status: 502 } });
		const caller: INodeType = {
			description: {
				displayName: 'Caller',
				name: 'caller',
				group: ['transform'],
				version: 1,
				description: 'Calls a tool',
				defaults: { name: 'Caller' },
				inputs: [
					NodeConnectionTypes.Main,
					{ type: NodeConnectionTypes.AiTool, required: true, maxConnections: 1 },
				],
				outputs: [NodeConnectionTypes.Main],
				properties: [],
			},
			async execute(this: IExecuteFunctions) {
				const tool = (await this.getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as
					| [{ invoke: (given: object) => Promise<unknown> }]
					| { invoke: (given: object) => Promise<unknown> };
				const output = await [tool].flat()[0]!.invoke({});
				return [[{ json: { output: String(output) }, pairedItem: { item: 0 } }]];
			},
		};
		const parameters = {
			resource: 'image',
			operation: 'generate',
			...kite,
			options: { download: 'data' },
		};
		const tool = {
			type: `${typeOf('generationGateway')}Tool`,
			name: 'Tool',
			credentials: 'generationGatewayApi',
			parameters,
			retryOnFail: true,
			maxTries: 2,
			waitBetweenTries: 1,
		};
		const options = gateway.options();
		await runWorkflow(
			linear(itemsNode([{}]), {
				type: 'test.caller',
				name: 'Caller',
				subNodes: { [NodeConnectionTypes.AiTool]: [tool as never] },
			}),
			{
				...options,
				nodeTypes: { ...options.nodeTypes, 'test.caller': caller },
			},
		);

		expect(gateway.sandbox.downloads.length).toBeGreaterThan(0);
		expect(new Set(gateway.posts().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
		expect(gateway.sandbox.tasks()).toHaveLength(1);
	});

	it(
		'when a poll of an asset under review is refused',
		onFastClock(async () => {
			const portrait = {
				assetModel: 'sdn-2.0',
				assetType: 'image',
				url: 'https://example.com/a.png',
				wait: 'poll',
				options: { timeout: 6 },
			};
			stub.answer = (response, _body, { method }) =>
				method === 'POST'
					? json(response, { id: 'ast_1', status: 'processing' })
					: json(response, { error: { message: 'No' } }, 401);
			const refused = await stub.run('asset:create', portrait, { node: goOn });

			expect(refused.json(NODE)).toEqual([
				expect.objectContaining({
					details: expect.objectContaining({ asset_id: 'ast_1', http_status: 401 }),
				}),
			]);
			expect(refused.json(NODE)[0]?.details as object).not.toHaveProperty('billed');
		}),
	);
});

it(
	'returns the last known state of an asset when every poll of it fails',
	onFastClock(async () => {
		stub.answer = (response) => json(response, {}, 503);
		const asset = readAsset({ id: 'ast_1' })!;

		expect(
			await withClient({ url: stub.url, key: 'k' }, (client) => awaitAsset(client, asset, 6_000)),
		).toBe(asset);
	}),
);

it('says so when a task ended without output, and the same key makes a new one', async () => {
	const keys: unknown[] = [];
	stub.answer = (response, _body, { headers }) => {
		keys.push(headers['idempotency-key']);
		json(response, {
			task_id: `task_${keys.length}`,
			status: 'completed',
			cost: 0,
			result: { images: [] },
		});
	};
	const run = async () =>
		await stub.run('image:generate', { ...kite, options: { idempotencyKey: 'row-9' } });
	const first = await run();
	await run();

	expect(JSON.stringify(first.run.data)).toContain(
		'The task task_1 ended without a usable output and was refunded in full',
	);
	expect(keys).toEqual(['row-9', 'row-9%retry-1']);
});

it('tries the fallback model when a task ended without output, which nobody pays', async () => {
	stub.answer = (response, { model }) => {
		const isEmpty = model === 'imgn-4.0';
		json(response, {
			task_id: `task_${String(model)}`,
			model,
			status: 'completed',
			cost: isEmpty ? 0 : 10_625,
			result: { images: isEmpty ? [] : [{ url: ['https://files.example.com/a.png'] }] },
		});
	};
	const options = { fallbackModels: 'qwn-image-2.0', output: 'links' };
	const run = await stub.run('image:generate', { ...kite, options });

	expect(run.json(NODE)).toMatchObject([
		{
			model: 'qwn-image-2.0',
			fallback_from: 'imgn-4.0',
			fallback_reason: 'The task task_imgn-4.0 ended without a usable output',
		},
	]);
});

it('says so when a completed task has no result yet', async () => {
	stub.answer = (response) =>
		json(response, { task_id: 'task_1', status: 'completed', cost: 21_250 });
	const ended = await stub.run('image:generate', kite);

	expect(ended.json(NODE)).toMatchObject([{ status: 'completed', urls: [] }]);
	expect(JSON.stringify(ended.run.data)).toContain(
		'The gateway says that task_1 is completed, but gives no result. Read it again later',
	);
});

describe('an item does not affect the others', () => {
	it('when its options cannot be evaluated, also as the first', async () => {
		const options = { maximumCost: '={{ $json.most.toNumber() }}' };
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options },
			{ items: [{ most: 'abc' }, { most: '1' }, { most: '2' }], node: goOn },
		);

		expect(run.json(NODE).map(({ status, error }) => status ?? (error ? 'refused' : ''))).toEqual([
			'refused',
			'completed',
			'completed',
		]);
	});

	it('when an asset of a page cannot be read', async () => {
		const entries = Array.from({ length: 250 }, (_, at) =>
			at === 7 ? { object: 'asset', status: 'deleted' } : { id: `ast_${at}`, status: 'active' },
		);
		stub.answer = (response, _body, { url }) => {
			const query = new URL(url!, 'http://stub').searchParams;
			const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
			json(response, { object: 'list', data: entries.slice(offset, offset + limit) });
		};

		expect((await stub.run('asset:getAll', { returnAll: true })).json(NODE)).toHaveLength(249);
	});
});

it('an Idempotency Key that another node has used does not bring its task', async () => {
	const options = { idempotencyKey: 'row-7' };
	await gateway.run('image:generate', { ...kite, options });
	const run = await gateway.run('image:generate', {
		model: modelId('qwn-image-2.0'),
		prompt: 'a quay',
		options,
	});

	expect(run.nodeError(NODE)?.message).toBe(
		'The Idempotency Key row-7 belongs to a task of imgn-4.0',
	);
	expect(
		(
			await gateway.run('image:generate', { ...kite, options: { idempotencyKey: '={{ [1] }}' } })
		).nodeError(NODE)?.message,
	).toContain('Idempotency Key must be a text, but is [1]');
});

describe('text', () => {
	const chat = {
		model: modelId('gp-5'),
		messages: { entry: [{ role: 'user', text: '={{ $json }}' }] },
	};
	const items = [{ city: 'Ghent' }];

	it('that is an object is sent as JSON', async () => {
		await gateway.run('text:chat', { ...chat, system: '={{ $json }}' }, { items });

		expect(
			gateway.sandbox.requests.map(({ body }) =>
				(body as { messages: { content: string }[] }).messages.map(({ content }) => content),
			),
		).toEqual([['{"city":"Ghent"}', '{"city":"Ghent"}']]);
	});

	it('takes switches as text from an expression, and reads the answer by its options, whatever Extra Body says', async () => {
		const options = {
			simplify: '={{ "false" }}',
			stream: '={{ "false" }}',
			extra_body: '{ "stream": true, "user": "row-1" }',
		};
		const run = await gateway.run('text:chat', { ...chat, options }, { items });

		expect(run.json(NODE)).toEqual([expect.objectContaining({ choices: [expect.anything()] })]);
		expect(gateway.sandbox.requests[0]?.body).toMatchObject({ user: 'row-1' });
		expect(gateway.sandbox.requests[0]?.body).not.toHaveProperty('stream');
	});
});
