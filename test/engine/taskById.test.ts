import type { IDataObject, OnError } from 'n8n-workflow';
import { delay } from '../support/useSandbox';
import { NODE, useGateway } from '../support/gateway';

const gateway = useGateway();
const submitted = async (more: IDataObject = {}): Promise<string> =>
	(await gateway.submit({ model: 'imgn-4.0', prompt: 'a kite', ...more })).data.task_id as string;

describe('getting tasks', () => {
	it('returns the current state of one, however often it runs', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		const id = await submitted();
		const running = await gateway.run('task:get', { taskId: id });
		expect(running.json(NODE)).toEqual([
			expect.objectContaining({
				task_id: id,
				status: expect.stringMatching(/queued|processing/),
				pre_consumed_cost: 21250,
			}),
		]);

		await gateway.sandbox.finish(id);
		const done = await gateway.run('task:get', { taskId: ` ${id} ` });
		expect(done.json(NODE)).toEqual([
			expect.objectContaining({ task_id: id, status: 'completed', cost: 21250 }),
		]);
	});

	it('gives a failed one as an item, with its reason', async () => {
		const id = await submitted({ prompt: '[fail]' });
		await delay(40);
		const run = await gateway.run('task:get', { taskId: id });

		expect(run.error).toBeUndefined();
		expect(run.json(NODE)).toEqual([
			expect.objectContaining({
				status: 'failed',
				cost: 0,
				cost_usd: 0,
				reason: 'The upstream could not generate this.',
			}),
		]);
	});

	it('gives one item for each ID of a list, all paired with the item that named them', async () => {
		const [a, b, c] = [await submitted(), await submitted(), await submitted()];
		const run = await gateway.run(
			'task:get',
			{ taskId: '={{ $json.ids }}' },
			{ items: [{ ids: [a, b] }, { ids: `${c}, ${a}` }] },
		);

		expect(run.items(NODE).map(({ json, pairedItem }) => [json.task_id, pairedItem])).toEqual([
			[a, { item: 0 }],
			[b, { item: 0 }],
			[c, { item: 1 }],
			[a, { item: 1 }],
		]);
	});

	it('counts the cost of a task once, also when two items name it', async () => {
		const id = await submitted();
		await delay(40);
		const run = await gateway.run('task:get', { taskId: id }, { items: [{}, {}] });

		expect(run.hints(NODE)).toEqual([{ message: '1 image, $0.0425', location: 'outputPane' }]);
	});
});

describe('awaiting tasks', () => {
	it('says of an item that has failed before that it has', async () => {
		const run = await gateway.run(
			'task:await',
			{ taskId: '={{ $json.task_id }}' },
			{ items: [{ error: 'Prompt is empty' }] },
		);

		expect(run.error?.message).toBe(
			'Task ID is empty. The item has an error, "Prompt is empty". Let only items without one through, e.g. by an If node',
		);
	});

	it('gives them when all have ended, in the order of the list', async () => {
		gateway.sandbox.settings.taskMs = ({ n }) => (n === 2 ? 700 : 100);
		const [slow, quick] = [await submitted({ n: 2 }), await submitted()];
		const run = await gateway.run(
			'task:await',
			{ taskId: '={{ $json.ids }}' },
			{ items: [{ ids: [slow, quick] }] },
		);

		expect(run.json(NODE).map(({ task_id, status }) => [task_id, status])).toEqual([
			[slow, 'completed'],
			[quick, 'completed'],
		]);
	});

	describe('of a list, beside other items', () => {
		const awaitLists = async (waitBy: string, onError: OnError) => {
			gateway.sandbox.settings.taskMs = 0;
			const ids = [await submitted(), await submitted({ prompt: '[fail]' }), await submitted()];
			gateway.sandbox.requests.length = 0;
			const items = [
				{ row: 'first', ids: ids.slice(0, 2) },
				{ row: 'second', ids: ids[2] },
			];
			const parameters = { taskId: '={{ $json.ids }}', waitBy };
			return {
				ids,
				run: await gateway.run('task:await', parameters, { items, node: { onError } }),
			};
		};

		it('gives a failed one on the error output, with the fields of its own row', async () => {
			const { ids, run } = await awaitLists('poll', 'continueErrorOutput');

			expect(run.json(NODE).map(({ task_id }) => task_id)).toEqual([ids[0], ids[2]]);
			expect(run.json(NODE, 1)).toMatchObject([{ row: 'first', details: { task_id: ids[1] } }]);
		});

		it('is refused with Suspend Execution, since n8n would give it the fields of another row', async () => {
			const { run } = await awaitLists('suspend', 'stopWorkflow');

			expect(run.nodeError(NODE)?.message).toBe(
				'Task ID must be one ID for each item with Suspend Execution: n8n would mix up the items. Split the list before, or set Wait Mode to Poll',
			);
			expect(gateway.sandbox.requests).toEqual([]);
		});

		it('is refused with Suspend Execution and an error output also where it is alone: n8n would lose its results', async () => {
			const ids = [await submitted(), await submitted()];
			const run = await gateway.run(
				'task:await',
				{ taskId: '={{ $json.ids }}', waitBy: 'suspend' },
				{ items: [{ ids }], node: { onError: 'continueErrorOutput' } },
			);

			expect(run.json(NODE)).toEqual([]);
			expect(run.json(NODE, 1)).toMatchObject([
				{ error: expect.stringContaining('Task ID must be one ID for each item') },
			]);
		});

		it('is refused alone where the node goes on: an item of one ID is awaited', async () => {
			const { ids, run } = await awaitLists('suspend', 'continueErrorOutput');

			expect(run.json(NODE).map(({ task_id }) => task_id)).toEqual([ids[2]]);
			expect(run.json(NODE, 1)).toMatchObject([{ row: 'first', details: { billed: 0 } }]);
		});
	});

	it('polls a task that has ended once', async () => {
		const id = await submitted();
		await delay(40);
		await gateway.run('task:await', { taskId: id });

		expect(gateway.sandbox.tasks()[0]?.polls).toBe(1);
	});

	it('returns a task that is still running at the timeout', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		const id = await submitted();
		const run = await gateway.run('task:await', { taskId: id, options: { timeout: 1 } });

		expect(run.error).toBeUndefined();
		expect(run.json(NODE)).toEqual([
			expect.objectContaining({ task_id: id, status: 'processing', progress: 50 }),
		]);
	});

	it.each([
		[
			'failed',
			true,
			'It was refunded in full. Run it again for a new task, or change the request.',
		],
		['cancelled', false, 'It was refunded in full. Run it again for a new task.'],
	] as const)(
		'says of a task that ended %s where the money is',
		async (outcome, retry, description) => {
			gateway.sandbox.settings.taskMs = Infinity;
			const id = await submitted();
			await gateway.sandbox.finish(id, outcome);
			const run = await gateway.run('task:await', { taskId: id });

			expect(run.nodeError(NODE)).toMatchObject({
				description,
				context: { details: { task_id: id, status: outcome, billed: 0, retry } },
			});
			expect(run.error?.message).toMatch(
				outcome === 'failed' ? `The task ${id} failed: ` : `The task ${id} was cancelled`,
			);
		},
	);

	const withAStranger = async () => {
		gateway.sandbox.settings.taskMs = 300;
		return [await submitted(), 'task_unknown', await submitted()];
	};

	it('loses none of a list when one ID is unknown, and goes on with the others', async () => {
		const ids = await withAStranger();
		const run = await gateway.run(
			'task:await',
			{ taskId: '={{ $json.ids }}' },
			{ items: [{ ids }], node: { onError: 'continueRegularOutput' } },
		);

		expect(
			run
				.items(NODE)
				.map(({ json, pairedItem }) => [
					json.task_id ?? (json.details as IDataObject).task_id,
					json.status,
					pairedItem,
				]),
		).toEqual([
			[ids[0], 'completed', { item: 0 }],
			['task_unknown', null, { item: 0 }],
			[ids[2], 'completed', { item: 0 }],
		]);
	});

	it('names the done tasks of a list when one ID is unknown and the run stops, but not before they have ended', async () => {
		const ids = await withAStranger();
		const run = await gateway.run(
			'task:await',
			{ taskId: '={{ $json.ids }}' },
			{ items: [{ ids }] },
		);

		expect(run.nodeError(NODE)).toMatchObject({
			message: expect.stringContaining('The task task_unknown was not found.'),
			description: expect.stringContaining(
				`Already submitted and possibly billed, get them with Task > Get: ${ids[0]}, ${ids[2]}`,
			),
			context: { details: { task_id: 'task_unknown', retry: false } },
		});
		const seen = gateway.sandbox.requests.length;
		await delay(600);
		expect(gateway.sandbox.requests).toHaveLength(seen);
	});
});

describe('cancelling tasks', () => {
	it('cancels a running one, which is refunded', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		const id = await submitted();
		const run = await gateway.run('task:cancel', { taskId: id });

		expect(run.json(NODE)).toEqual([
			expect.objectContaining({ task_id: id, status: 'cancelled', cost: 0, cost_usd: 0 }),
		]);
		expect(gateway.sandbox.tasks()).toEqual([
			expect.objectContaining({ status: 'cancelled', cost: 0 }),
		]);
		expect(run.hints(NODE).map(({ message }) => message)).toEqual(['1 cancelled task, $0.00']);
	});

	it('does not say that it may be billed, when another one is not found', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		const run = await gateway.run('task:cancel', { taskId: `${await submitted()},task_unknown` });

		expect(gateway.sandbox.tasks()).toMatchObject([{ status: 'cancelled' }]);
		expect(run.nodeError(NODE)?.message).toContain('task_unknown');
		expect(run.nodeError(NODE)?.description).not.toContain('possibly billed');
	});

	it.each([
		['completed', 21250],
		['failed', 0],
	])('leaves one that has %s as it is, returns its state, and says so', async (status, cost) => {
		if (status === 'failed') gateway.sandbox.settings.fail = () => 'Out of memory';
		const id = await submitted();
		await delay(40);
		const run = await gateway.run('task:cancel', { taskId: id });

		expect(run.json(NODE)).toEqual([expect.objectContaining({ task_id: id, status, cost })]);
		expect(run.hints(NODE).map(({ message }) => message)).toContain(
			`A task was not cancelled: it had already ${status}`,
		);
	});
});
