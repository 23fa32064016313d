import type { IDataObject } from 'n8n-workflow';
import { modelId, NODE, PHOTO, useGateway } from '../support/gateway';

const gateway = useGateway();
const body = { model: 'imgn-4.0', prompt: 'a kite' };
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const FLAT = [
	'task_id',
	'model',
	'action',
	'status',
	'progress',
	'created_at',
	'completed_at',
	'expires_at',
	'urls',
	'cost',
	'cost_usd',
];

const submitted = async (more: IDataObject = {}): Promise<string> =>
	(await gateway.submit({ ...body, ...more })).data.task_id as string;

describe('submitting a task', () => {
	it('leaves out what an expression does not find, as JSON does', async () => {
		const parameters = '={{ { prompt: "waves", seed: $json.nope } }}';
		await gateway.run('task:submit', { model: modelId('imgn-4.0'), parameters });

		expect(gateway.bodies()).toEqual([{ model: 'imgn-4.0', prompt: 'waves' }]);
	});

	it('sends the JSON body as it is, and gives the task at once', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		const run = await gateway.run('task:submit', {
			model: modelId('clipk-v3-omni'),
			parameters: `{"prompt":"waves","action":"reference","image_urls":["${PHOTO}"],"duration":5}`,
		});

		expect(gateway.bodies()).toEqual([
			{
				model: 'clipk-v3-omni',
				prompt: 'waves',
				action: 'reference',
				image_urls: [PHOTO],
				duration: 5,
			},
		]);
		expect(gateway.posts()[0]?.headers.prefer).toBeUndefined();
		const [task] = gateway.sandbox.tasks();
		expect(run.json(NODE)).toEqual([
			{
				task_id: task?.task_id,
				model: 'clipk-v3-omni',
				action: 'reference',
				status: 'queued',
				progress: 0,
				created_at: ISO,
				completed_at: null,
				expires_at: null,
				urls: [],
				cost: null,
				cost_usd: null,
				pre_consumed_cost: 178500,
			},
		]);
	});

	it('takes model and parameters from expressions, for each item its own', async () => {
		const items = [
			{ model: 'imgn-4.0', body: { prompt: 'a kite', n: 2 } },
			{ model: 'clipk-v3', body: { prompt: 'waves' } },
		];
		const run = await gateway.run(
			'task:submit',
			{ model: modelId('={{ $json.model }}'), parameters: '={{ $json.body }}', wait: 'poll' },
			{ items },
		);

		expect(run.json(NODE)).toEqual([
			expect.objectContaining({
				model: 'imgn-4.0',
				status: 'completed',
				urls: [expect.any(String), expect.any(String)],
			}),
			expect.objectContaining({
				model: 'clipk-v3',
				status: 'completed',
				urls: [expect.any(String)],
			}),
		]);
	});

	it('reads the task of the legacy response, which holds nothing but its ID', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		const run = await gateway.run('task:submit', {
			model: modelId('gp-4o-image'),
			parameters: { prompt: 'a kite' },
		});

		expect(run.json(NODE)).toEqual([
			expect.objectContaining({
				task_id: gateway.sandbox.tasks()[0]?.task_id,
				model: 'gp-4o-image',
				action: 'generate',
				status: 'queued',
				created_at: null,
			}),
		]);
	});
});

describe('waiting within the node', () => {
	it('gives a flat item with the same keys for every family', async () => {
		for (const [menu, model] of [
			['image:generate', 'gmn-2.5-flash-image-preview'],
			['image:generate', 'gp-4o-image'],
			['video:generate', 'pxv-v6'],
		] as const) {
			const run = await gateway.run(menu, { model: modelId(model), prompt: 'a kite' });
			expect(Object.keys(run.json(NODE)[0]!)).toEqual(FLAT);
		}
	});

	it('returns times in ISO 8601, progress as a number, cost in quota and USD', async () => {
		gateway.sandbox.settings.settle = () => 12_345;
		const run = await gateway.run('image:generate', kite);

		const id = gateway.sandbox.tasks()[0]?.task_id;
		expect(run.json(NODE)).toEqual([
			{
				task_id: id,
				model: 'imgn-4.0',
				action: 'generate',
				status: 'completed',
				progress: 100,
				created_at: ISO,
				completed_at: ISO,
				expires_at: ISO,
				urls: [`${gateway.sandbox.url}/files/${id}-0.jpg`],
				cost: 12345,
				cost_usd: 0.02469,
			},
		]);
	});

	it('is a second request with the same key, so that the ID is known at once and a short task needs no poll', async () => {
		await gateway.run('image:generate', kite);

		const [submitted, awaited, ...more] = gateway.sandbox.requests;
		expect(more).toEqual([]);
		expect(submitted).toMatchObject({ method: 'POST', path: '/v1/tasks' });
		expect(submitted!.headers).not.toHaveProperty('prefer');
		expect(awaited).toMatchObject({
			...submitted,
			at: expect.anything(),
			headers: expect.anything(),
		});
		expect(awaited!.headers).toMatchObject({
			prefer: expect.stringMatching(/^wait=\d+$/),
			'idempotency-key': submitted!.headers['idempotency-key'],
		});
	});

	it('sends every row with a Max Wait of 0, and returns its first state', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		const items = Array.from({ length: 20 }, () => ({}));
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { timeout: 0 } },
			{ items },
		);

		expect(run.json(NODE).map(({ status }) => status)).toEqual(Array(20).fill('queued'));
	});

	it('polls when there are more items than Concurrency, and treats succeeded as completed', async () => {
		Object.assign(gateway.sandbox.settings, {
			terminalWord: 'succeeded',
			progressStyle: 'fraction',
			taskMs: 300,
		});
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { concurrency: 2 } },
			{ items: [{}, {}, {}] },
		);

		expect(run.json(NODE).map(({ status }) => status)).toEqual([
			'completed',
			'completed',
			'completed',
		]);
		expect(gateway.posts().map(({ headers }) => headers.prefer)).toEqual([
			undefined,
			undefined,
			undefined,
		]);
		expect(gateway.sandbox.tasks().every(({ polls }) => polls >= 1 && polls <= 2)).toBe(true);
	});

	it('awaits many at once, for as long as the slowest takes', async () => {
		gateway.sandbox.settings.taskMs = ({ prompt }) => Number(prompt);
		const run = await gateway.run(
			'image:generate',
			{ ...kite, prompt: '={{ $json.ms }}', options: { concurrency: 4 } },
			{
				items: [900, 100, 800, 300, 700, 500].map((ms) => ({ ms: String(ms) })),
			},
		);

		expect(run.json(NODE)).toHaveLength(6);
		const slowest = gateway.sandbox.tasks().find(({ body }) => body.prompt === '900')!;
		expect(gateway.sandbox.tasks()).toHaveLength(6);
		expect(gateway.posts().filter(({ at }) => at < slowest.finished!)).toHaveLength(6);
	});

	it('returns the task with its last state at the timeout', async () => {
		gateway.sandbox.settings.taskMs = 60_000;
		const run = await gateway.run('image:generate', { ...kite, options: { timeout: 2 } });

		expect(run.error).toBeUndefined();
		expect(run.json(NODE)).toEqual([
			expect.objectContaining({
				task_id: gateway.sandbox.tasks()[0]?.task_id,
				status: 'processing',
				urls: [],
				cost: null,
				pre_consumed_cost: 21250,
			}),
		]);
		expect(run.hints(NODE)).toEqual([
			expect.objectContaining({
				message: '1 task still running. Wait longer with Task > Await.',
			}),
		]);
	});

	it.each([
		[
			'Callback URL',
			{ callback_url: 'https://example.com/hook' },
			'none',
			'The gateway calls Callback URL',
		],
		['Call Back This Execution', { callbackExecution: true }, 'none', 'Wait for it with Task'],
		['Max Wait 0', { timeout: 0 }, 'poll', 'Wait for it with Task > Await'],
	])('says how the end of a task is heard of with %s', async (_name, options, wait, words) => {
		gateway.sandbox.settings.taskMs = 60_000;
		const run = await gateway.run('image:generate', { ...kite, wait, options });

		expect(run.hints(NODE).map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
	});

	it('says why a task failed, which it was, and that it was refunded', async () => {
		gateway.sandbox.settings.fail = () => 'The prompt was rejected.';
		const run = await gateway.run('image:generate', kite);

		const id = gateway.sandbox.tasks()[0]?.task_id;
		expect(run.nodeError(NODE)).toMatchObject({
			message: `The task ${id} failed: The prompt was rejected.`,
			description: 'It was refunded in full. Run it again for a new task, or change the request.',
			context: {
				itemIndex: 0,
				details: { task_id: id, status: 'failed', model: 'imgn-4.0', billed: 0, retry: true },
			},
		});
	});

	it.each<[string, (reason: string) => IDataObject]>([
		['error as text', (error) => ({ error })],
		['fail_reason', (fail_reason) => ({ fail_reason })],
		['error.reason', (reason) => ({ error: { reason } })],
		['message', (message) => ({ message })],
	])('finds the reason in %s', async (_where, failure) => {
		Object.assign(gateway.sandbox.settings, { failure, fail: () => 'The upstream is away.' });
		const run = await gateway.run('image:generate', kite, {
			node: { onError: 'continueRegularOutput' },
		});

		const id = gateway.sandbox.tasks()[0]?.task_id;
		expect(run.json(NODE)).toEqual([
			{
				item_index: 0,
				error: `The task ${id} failed: The upstream is away.`,
				message: 'It was refunded in full. Run it again for a new task, or change the request.',
				task_id: id,
				status: 'failed',
				details: {
					code: 'task_failed',
					task_id: id,
					status: 'failed',
					model: 'imgn-4.0',
					billed: 0,
					retry: true,
				},
			},
		]);
	});

	it('outputs finished tasks, and sends a failed one to the error output', async () => {
		const items = [{ what: 'a kite' }, { what: '[fail]' }, { what: 'a quay' }];
		const run = await gateway.run(
			'image:generate',
			{ ...kite, prompt: '={{ $json.what }}' },
			{ items, node: { onError: 'continueErrorOutput' } },
		);

		expect(run.items(NODE).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(run.json(NODE, 1)).toEqual([
			expect.objectContaining({
				what: '[fail]',
				item_index: 1,
				error: expect.stringContaining('The upstream could not generate this.'),
				details: expect.objectContaining({ billed: 0 }),
			}),
		]);
	});

	it.each([
		['continueErrorOutput', 1],
		['continueRegularOutput', 0],
	] as const)(
		'says at the top what has become of a failed task, whatever the input says of it, with %s',
		async (onError, output) => {
			const task = { model: 'imgn-4.0', parameters: { prompt: '[fail]' } };
			await gateway.run('task:submit', { ...task, wait: 'none' });
			const { task_id } = gateway.sandbox.tasks()[0]!;
			const items = [{ task_id, status: 'queued', row: 7 }];
			const awaited = { taskId: '={{ $json.task_id }}' };
			const run = await gateway.run('task:await', awaited, { items, node: { onError } });

			expect(run.json(NODE, output)).toEqual([
				expect.objectContaining({
					task_id,
					status: 'failed',
					...(output === 1 && { row: 7 }),
					item_index: 0,
					error: expect.stringContaining('could not generate this'),
					details: expect.objectContaining({ code: 'task_failed', task_id, billed: 0 }),
				}),
			]);
		},
	);

	it('says which tasks are done when one of them fails and the run stops', async () => {
		const items = [{ what: 'a kite' }, { what: '[fail]' }];
		const run = await gateway.run(
			'image:generate',
			{ ...kite, prompt: '={{ $json.what }}' },
			{ items },
		);

		const done = gateway.sandbox.tasks().find(({ status }) => status === 'completed');
		const lost = gateway.sandbox.tasks().find(({ status }) => status === 'failed');
		expect(run.nodeError(NODE)?.description).toContain(
			`1 of 2 items failed.<br>Tasks of the failed items: ${lost?.task_id}<br>Already submitted and possibly billed, get them with Task > Get: ${done?.task_id}`,
		);
	});
});

describe('the raw task', () => {
	it("is the gateway's own object, untouched", async () => {
		const run = await gateway.run('image:generate', { ...kite, options: { simplify: false } });

		const { data } = await gateway.read(String(gateway.sandbox.tasks()[0]?.task_id));
		expect(run.json(NODE)).toEqual([data]);
	});

	it('is the legacy response too', async () => {
		const run = await gateway.run('task:submit', {
			model: modelId('gp-4o-image'),
			parameters: { prompt: 'a kite' },
			options: { simplify: false },
		});

		expect(run.json(NODE)).toEqual([
			{ code: 'success', data: gateway.sandbox.tasks()[0]?.task_id },
		]);
	});

	it('comes from get as well, whatever its state', async () => {
		const id = await submitted({ prompt: '[fail]' });
		await new Promise((done) => setTimeout(done, 40));
		const run = await gateway.run('task:get', { taskId: id, options: { simplify: false } });

		expect(run.json(NODE)).toEqual([(await gateway.read(id)).data]);
		expect(run.json(NODE)[0]).toMatchObject({
			status: 'failed',
			error: { message: 'The upstream could not generate this.' },
		});
	});
});
