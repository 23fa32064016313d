import { itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { onFastClock } from '../support/fastClock';
import { gatewayNode, modelId, NODE, runNode, useGateway } from '../support/gateway';
import { packageWith } from '../../scripts/package';
import { until } from '../support/useSandbox';
import { runInLoop } from '../support/loop';
import { useStubGateway, json } from '../support/stubGateway';

const fixture = useGateway();
const stub = useStubGateway();
const kite = { model: modelId('gmn-2.5-flash-image-preview'), prompt: 'a kite' };
const unpriced = { model: modelId('flx-2-pro'), prompt: 'a kite' };
const goOn = { node: { onError: 'continueRegularOutput' as const } };
const cost = () => fixture.sandbox.tasks().reduce((sum, task) => sum + task.cost, 0);

describe('a cost limit', () => {
	it('equal to the listed price lets the task go', async () => {
		const options = { maximumCost: 0.01328125, maximumRunCost: 0.01328125 };
		const run = await fixture.run('image:generate', { ...kite, options });

		expect(run.json(NODE)).toEqual([expect.objectContaining({ status: 'completed' })]);
	});

	it('for the execution counts the passes of a loop together', async () => {
		await runInLoop({ ...kite, options: { maximumRunCost: 0.03 } }, 5, fixture.options());

		expect(fixture.sandbox.tasks()).toHaveLength(2);
	});

	it('cancels a task that the gateway holds above it, and says so', async () => {
		fixture.sandbox.settings.taskMs = Infinity;
		const options = { maximumCost: 0.000001, unknownPrice: 'send' };
		const run = await fixture.run('image:generate', { ...unpriced, options }, goOn);

		const [task] = fixture.sandbox.tasks();
		expect(task).toMatchObject({ status: 'cancelled', cost: 0 });
		expect(run.json(NODE)).toEqual([
			{
				item_index: 0,
				error: expect.stringMatching(
					/^The task is held at \$[\d.]+ by the gateway, but .* The task was cancelled and refunded$/,
				),
				message: 'Raise the limit or ask for less.',
				task_id: task!.task_id,
				status: 'cancelled',
				details: {
					code: 'hold_above_limit',
					task_id: task!.task_id,
					status: 'cancelled',
					billed: 0,
					retry: false,
				},
			},
		]);
	});

	it('says where a task is to be looked at that it could not cancel', async () => {
		fixture.sandbox.settings.taskMs = Infinity;
		fixture.sandbox.faults.add({ match: { path: /cancel/ }, kind: { status: 403 } });
		const options = { maximumCost: 0.000001, unknownPrice: 'send' };
		const run = await fixture.run('image:generate', { ...unpriced, options }, goOn);

		const [task] = fixture.sandbox.tasks();
		expect(run.json(NODE)).toMatchObject([
			{
				message: 'Look at it with Task > Get.',
				details: { code: 'hold_above_limit', task_id: task!.task_id, status: task!.status },
			},
		]);
		expect(run.json(NODE)[0]!.details).not.toHaveProperty('billed');
	});

	it('for the execution holds for what is settled, whatever the gateway holds', async () => {
		// Long enough to be cancelled on a busy machine, too.
		Object.assign(fixture.sandbox.settings, { taskMs: 4_000 });
		const options = { maximumRunCost: 0.1, unknownPrice: 'send' };
		const items = Array.from({ length: 12 }, (_, row) => ({ row }));
		await fixture.run('image:generate', { ...unpriced, options }, { ...goOn, items });

		const statuses = fixture.sandbox.tasks().map(({ status }) => status);
		expect(statuses).toContain('completed');
		expect(statuses).toContain('cancelled');
		expect(cost()).toBeGreaterThan(0);
		expect(cost()).toBeLessThanOrEqual(50_000);
	});

	it.each([
		['maximumCost', 'Cost Limit per Item is $0.03', '$0.039846'],
		['maximumRunCost', 'Cost Limit per Execution is $0.05', '$0.079692'],
		['maximumDailyCost', 'Cost Limit per Day is $0.05', '$0.079692'],
	])('says when the tasks cost more than estimated, above %s', async (name, limit, charged) => {
		fixture.sandbox.settings.settle = (held) => held * 3;
		const options = { [name]: Number(/[\d.]+/.exec(limit)![0]) };
		const items = [{}, {}];
		const run = await fixture.run('image:generate', { ...kite, options }, { items });

		expect(run.hints(NODE).map(({ message }) => message)).toContain(
			`${limit}, but ${charged} is spent or planned`,
		);
	});

	it('does not let the submission wait for the result', async () => {
		await fixture.run('image:generate', { ...kite, options: { maximumCost: 1 } });

		expect(fixture.posts()[0]?.headers).not.toHaveProperty('prefer');
	});
});

describe('Retry On Fail', () => {
	const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

	it.each([
		[
			'text:chat',
			{ model: modelId('gp-5-mini'), messages: { entry: [{ text: '={{ $json.text }}' }] } },
			'/v1/chat/completions',
		],
		[
			'embedding:create',
			{
				model: modelId('text-embedding-3-small'),
				input: '={{ $json.text }}',
				options: { batchSize: 1 },
			},
			'/v1/embeddings',
		],
	] as const)('asks %s only for what has no answer yet', async (menu, parameters, path) => {
		fixture.sandbox.faults.add({ match: { path }, kind: { status: 502 } });
		const items = ['one', 'two', 'three', 'four'].map((text) => ({ text }));
		const run = await fixture.run(menu, parameters, { items, node: retry });

		const answered = fixture.sandbox.requests.filter(({ status }) => status === 200);
		expect(run.status).toBe('success');
		expect(run.json(NODE)).toHaveLength(4);
		expect(answered).toHaveLength(4);
	});

	it('asks anew in the next execution', async () => {
		const chat = { model: modelId('gp-5-mini'), messages: { entry: [{ text: 'one' }] } };
		await fixture.run('text:chat', chat, { node: retry });
		await fixture.run('text:chat', chat, { node: retry });

		expect(fixture.sandbox.requests).toHaveLength(2);
	});
});

describe('the key of a task', () => {
	const keys = () => fixture.posts().map(({ headers }) => headers['idempotency-key']);

	it('differs for equal executions of two workflows', async () => {
		for (const id of ['a', 'b']) {
			const options = { ...fixture.options(), executionId: '1' };
			const node = gatewayNode('image:generate', kite, { id: 'same' });
			const workflow = { ...linear(itemsNode([{}]), node), id };
			await runWorkflow(workflow, options);
		}

		expect(new Set(keys()).size).toBe(2);
	});

	it('of equal requests is the same in another execution where they are reused', async () => {
		const options = { ifAlreadyMade: 'reuse' };
		const items = [{}, {}];
		fixture.sandbox.settings.now = () => Date.now() - 60_000;
		const first = await fixture.run('image:generate', { ...kite, options }, { items });
		fixture.sandbox.settings.now = () => Date.now();
		const second = await fixture.run('image:generate', { ...kite, options }, { items });

		const idsOf = (run: typeof first) => run.json(NODE).map(({ task_id }) => task_id);
		expect(fixture.sandbox.tasks()).toHaveLength(2);
		expect(new Set(idsOf(first)).size).toBe(2);
		expect(idsOf(second)).toEqual(idsOf(first));
		expect(second.json(NODE).map(({ reused }) => reused)).toEqual([true, true]);
	});

	it.each(['reuse', 'key', undefined])(
		'is what the user gives, also with another request: %s',
		async (ifAlreadyMade) => {
			const options = { idempotencyKey: 'order-1', ...(ifAlreadyMade && { ifAlreadyMade }) };
			const first = await fixture.run('image:generate', { ...kite, options });
			const second = await fixture.run('image:generate', {
				...kite,
				prompt: 'a red kite',
				options,
			});

			const [one, two] = [first, second].map((run) => run.json(NODE)[0]);
			expect([two?.task_id, two?.reused]).toEqual([one?.task_id, true]);
			expect(fixture.sandbox.tasks()).toHaveLength(1);
		},
	);

	it('is of its account, whatever became of a task of another account with the same one', async () => {
		const options = { idempotencyKey: 'row-7', output: 'links' };
		const runAs = async (apiKey: string) => {
			const node = gatewayNode('image:generate', { ...kite, options }, goOn.node);
			return await runNode(node, [{}], packageWith(fixture.sandbox.url, apiKey));
		};
		await runAs('other-key');
		fixture.sandbox.settings.fail = () => 'failed';
		await runAs('sandbox-key');
		fixture.sandbox.settings.fail = () => undefined;
		const again = await runAs('other-key');

		expect(again.json(NODE)).toEqual([expect.objectContaining({ reused: true })]);
		expect(fixture.sandbox.tasks()).toHaveLength(2);
	});

	it('is kept while its result is awaited, when another execution makes the next task of the key', async () => {
		const options = { idempotencyKey: 'row-1', timeout: 20, output: 'links' };
		const statuses = new Map<string, string>();
		const taskOf = (task_id: string) => ({
			task_id,
			model: 'imgn-4.0',
			status: statuses.get(task_id),
		});
		let answer = () => {};
		const isAwaited = new Promise<void>((resolve) => (answer = resolve));
		stub.answer = async (response, _body, { method, url = '', headers }) => {
			const key = String(headers['idempotency-key']);
			const id =
				method === 'POST' && url === '/v1/tasks' ? key : decodeURIComponent(url.split('/')[3]!);
			if (url.endsWith('/cancel')) statuses.set(id, 'cancelled');
			const isFirst = !statuses.has(id);
			if (isFirst) statuses.set(id, 'processing');
			const task = taskOf(id);
			if (isFirst && id === 'row-1') await isAwaited;
			json(response, task);
		};
		const row = { ...kite, model: modelId('imgn-4.0'), options };
		const slow = stub.run('image:generate', row, goOn);
		await until(() => statuses.has('row-1'));
		statuses.set('row-1', 'failed');
		await stub.run('image:generate', row, goOn);
		const next = stub.run('image:generate', row, goOn);
		await until(() => statuses.size === 2);
		answer();
		await slow;

		const [, successor] = statuses.keys();
		expect(statuses.get(successor!)).toBe('processing');
		statuses.set(successor!, 'failed');
		await next;
	});

	it('is a new one for the next pass of a loop when the file of the last task is gone', async () => {
		const expired = { match: { path: /^\/files\// }, times: 99, kind: { status: 404 } };
		fixture.sandbox.faults.add(expired);
		await runInLoop({ ...kite, options: { download: 'data' } }, 2, fixture.options());

		expect(fixture.sandbox.tasks()).toHaveLength(2);
	});
});

describe('a completed task whose replay leaves out its result', () => {
	it(
		'is fetched',
		onFastClock(async () => {
			const task = { task_id: 'task_1', model: 'imgn-4.0', status: 'completed' };
			const result = { images: [{ url: ['https://example.com/a.png'] }] };
			stub.answer = (response, _body, { method }) =>
				json(response, method === 'POST' ? task : { ...task, result, cost: 21_250 });
			const run = await stub.run('image:generate', { ...kite, model: modelId('imgn-4.0') });

			expect(run.json(NODE)).toEqual([
				expect.objectContaining({ urls: ['https://example.com/a.png'], cost: 21_250 }),
			]);
		}),
	);

	it(
		'counts for the limit of the execution, also where no read works',
		onFastClock(async () => {
			let made = 0;
			stub.answer = (response, _body, { method }) => {
				if (method === 'POST') made += 1;
				const task = { task_id: `task_limit_${made}`, status: 'completed', cost: 21_250 };
				json(response, method === 'POST' ? task : {}, method === 'POST' ? 200 : 500);
			};
			const options = { output: 'links', maximumRunCost: 0.06, timeout: 60 };
			const row = { ...kite, model: modelId('imgn-4.0'), options };
			const run = await runInLoop(row, 2, stub.options());

			expect(run.json(NODE, 0, 1)).toMatchObject([{ details: { code: 'cost_limit_exceeded' } }]);
			expect(made).toBe(1);
		}),
	);
});
