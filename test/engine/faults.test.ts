import type { FaultKind } from '../../sandbox';
import { onFastClock } from '../support/fastClock';
import { delay, until } from '../support/useSandbox';
import { runWorkflow, itemsNode, linear } from '../../scripts/engine';
import { packageWith } from '../../scripts/package';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';

const gateway = useGateway();
const kite = { model: modelId('imgn-4.0'), prompt: '={{ $json.what }}' };
const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ what: `kite ${at}` }));
const submission = { method: 'POST', path: '/v1/tasks' };
const taskPoll = { method: 'GET', path: /^\/v1\/tasks\// };
const inASecond = () => new Date(Date.now() + 1200).toUTCString();

/** One of every fault that a retry overcomes. */
const transientFaults = (): FaultKind[] => [
	{ status: 429, retryAfter: '1' },
	{ status: 429, retryAfter: inASecond() },
	{ status: 500 },
	{ status: 502 },
	'reset-before',
	'reset-after',
	'reset-midway',
	'broken-json',
];

/** The prompts of the finished items in order, and of the tasks, each once, whatever their order. */
const outcome = (items: Record<string, unknown>[]) => ({
	finished: items.map(
		({ task_id }) => gateway.sandbox.tasks().find((task) => task.task_id === task_id)?.body.prompt,
	),
	paid: gateway.sandbox
		.tasks()
		.filter(({ cost }) => cost > 0)
		.map(({ body }) => String(body.prompt))
		.sort(),
});
const all = (count: number) => rows(count).map(({ what }) => what);

describe('a gateway that fails for a while', () => {
	it('loses no submission and bills none twice', async () => {
		for (const kind of transientFaults()) gateway.sandbox.faults.add({ match: submission, kind });
		const run = await gateway.run('image:generate', kite, { items: rows(10) });

		expect(run.error).toBeUndefined();
		expect(outcome(run.json(NODE))).toEqual({ finished: all(10), paid: all(10) });
		expect(gateway.posts()).toHaveLength(18);
		expect(new Set(gateway.posts().map(({ headers }) => headers['idempotency-key'])).size).toBe(10);
	});

	it('loses no task while it is polled', async () => {
		for (const kind of transientFaults()) gateway.sandbox.faults.add({ match: taskPoll, kind });
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { concurrency: 9 } },
			{ items: rows(10) },
		);

		expect(run.error).toBeUndefined();
		expect(outcome(run.json(NODE))).toEqual({ finished: all(10), paid: all(10) });
		expect(gateway.posts()).toHaveLength(10);
		expect(gateway.sandbox.requests.filter(({ fault }) => fault)).toHaveLength(8);
	});

	it('downloads the files when their host fails for a while', async () => {
		gateway.sandbox.faults.add({ match: { path: /^\/files\// }, kind: { status: 503 } });
		gateway.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'reset-after' });
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { download: 'data' } },
			{ items: rows(3) },
		);

		expect(run.items(NODE).map(({ binary }) => binary?.data?.mimeType)).toEqual([
			'image/jpeg',
			'image/jpeg',
			'image/jpeg',
		]);
		expect(gateway.sandbox.tasks()).toHaveLength(3);
	});

	it('keeps to the rate limit of the gateway', async () => {
		Object.assign(gateway.sandbox.settings, {
			concurrencyLimit: 4,
			apiLatencyMs: 15,
			retryAfter: '0.1',
		});
		const run = await gateway.run(
			'task:submit',
			{ model: modelId('imgn-4.0'), parameters: '={{ { prompt: $json.what } }}' },
			{ items: rows(30) },
		);

		expect(run.json(NODE)).toHaveLength(30);
		expect(gateway.sandbox.tasks()).toHaveLength(30);
		expect(gateway.sandbox.requests.some(({ status }) => status === 429)).toBe(true);
	});

	it(
		'names a gateway that is not there, and repeats no cancellation',
		onFastClock(async () => {
			const run = await runWorkflow(
				linear(itemsNode([{}]), gatewayNode('task:cancel', { taskId: 'task_1' })),
				packageWith('http://127.0.0.1:9', gateway.sandbox.key),
			);

			expect(run.nodeError(NODE)).toMatchObject({
				message: expect.stringMatching(
					/^The gateway could not be reached \(connect ECONNREFUSED 127/,
				),
				description:
					'Check Base URL in the credential, and that the gateway runs. Where n8n runs in a container, localhost is the container itself. If n8n uses a proxy, check HTTP_PROXY and HTTPS_PROXY.',
				context: { details: { task_id: 'task_1', retry: true } },
			});
		}),
	);
});

describe('Retry On Fail', () => {
	const again = { retryOnFail: true, maxTries: 3, waitBetweenTries: 20 };

	it('finds the tasks of the previous try', async () => {
		gateway.sandbox.faults.add({ match: taskPoll, kind: { status: 401 } });
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { concurrency: 1 } },
			{ items: rows(3), node: again },
		);

		expect(run.error).toBeUndefined();
		expect(gateway.posts()).toHaveLength(6);
		expect(outcome(run.json(NODE))).toEqual({ finished: all(3), paid: all(3) });
		expect(gateway.sandbox.tasks()).toHaveLength(3);
	});

	it('submits a new task in place of one that failed, and pays for the others once', async () => {
		let left = 1;
		gateway.sandbox.settings.fail = ({ prompt }) =>
			prompt === 'kite 1' && left-- > 0 ? 'The upstream is away.' : undefined;
		const run = await gateway.run('image:generate', kite, { items: rows(3), node: again });

		expect(run.error).toBeUndefined();
		expect(outcome(run.json(NODE))).toEqual({ finished: all(3), paid: all(3) });
		expect(
			gateway.sandbox
				.tasks()
				.filter(({ status }) => status === 'failed')
				.map(({ body, cost }) => [body.prompt, cost]),
		).toEqual([['kite 1', 0]]);
	});

	it.each(['imgn-4.0', 'gp-4o-image'])(
		'submits a new task of %s also when a poll showed that the first had failed',
		async (model) => {
			let left = 1;
			gateway.sandbox.settings.fail = ({ prompt }) =>
				prompt === 'kite 1' && left-- > 0 ? 'The upstream is away.' : undefined;
			const parameters = { ...kite, model: modelId(model), options: { concurrency: 1 } };
			const run = await gateway.run('image:generate', parameters, {
				items: rows(2),
				node: { ...again, maxTries: 2 },
			});

			expect(run.error).toBeUndefined();
			expect(outcome(run.json(NODE))).toEqual({ finished: all(2), paid: all(2) });
			expect(gateway.sandbox.tasks()).toHaveLength(3);
		},
	);

	it('gives up after its tries, each with a task of its own, none of them paid', async () => {
		gateway.sandbox.settings.fail = () => 'The upstream is away.';
		const run = await gateway.run('image:generate', kite, { items: rows(1), node: again });

		const tasks = gateway.sandbox.tasks();
		expect(run.error?.message).toBe(`The task ${tasks[2]?.task_id} failed: The upstream is away.`);
		expect(tasks.map(({ cost, status }) => [cost, status])).toEqual(Array(3).fill([0, 'failed']));
	});

	it('does not send again what was refused before sending', async () => {
		const run = await gateway.run(
			'image:generate',
			{ ...kite, aspect_ratio: '={{ "7:1" }}' },
			{ items: rows(2), node: again },
		);

		expect(run.status).toBe('error');
		expect(gateway.sandbox.requests).toEqual([]);
	});
});

describe("a user's own key", () => {
	const parameters = {
		model: modelId('imgn-4.0'),
		prompt: 'a kite',
		options: { idempotencyKey: 'order 7 / row 1' },
	};

	it('finds the paid task of an execution whose response was lost', async () => {
		gateway.sandbox.settings.taskMs = 300;
		gateway.sandbox.faults.add({ match: submission, kind: 'reset-after' });
		gateway.sandbox.faults.add({ match: submission, kind: { status: 403 } });
		const lost = await gateway.run('image:generate', parameters);
		const found = await gateway.run('image:generate', parameters);

		expect(lost.status).toBe('error');
		expect(
			(lost.nodeError(NODE) as unknown as { context: { details: object } }).context.details,
		).not.toHaveProperty('billed');
		expect(found.json(NODE)).toEqual([
			expect.objectContaining({ status: 'completed', cost: 21250 }),
		]);
		expect(gateway.sandbox.tasks()).toHaveLength(1);
	});

	it('submits a new task when the one that another process made with it had failed', async () => {
		const hourAgo = () => Date.now() - 3_600_000;
		Object.assign(gateway.sandbox.settings, { now: hourAgo, fail: () => 'The upstream is away.' });
		await gateway.submit({ model: 'imgn-4.0', prompt: 'a kite' }, { 'idempotency-key': 'order 8' });
		Object.assign(gateway.sandbox.settings, { now: () => Date.now(), fail: () => undefined });
		const run = await gateway.run('image:generate', {
			...parameters,
			options: { idempotencyKey: 'order 8' },
		});

		expect(run.json(NODE)).toEqual([expect.objectContaining({ status: 'completed' })]);
		expect(gateway.sandbox.tasks().map(({ key, status }) => [key, status])).toEqual([
			['order 8', 'failed'],
			['order 8%retry-1', 'completed'],
		]);
	});
});

describe('a key with other than Latin letters', () => {
	const keys = ['产品-7', '订单-7', '产品', 'Straße 7', 'order 7'];
	const parameters = {
		model: modelId('imgn-4.0'),
		prompt: '={{ $json.key }}',
		options: { idempotencyKey: '={{ $json.key }}' },
	};

	it('keeps rows apart, and finds their tasks when they are sent again', async () => {
		const items = keys.map((key) => ({ key }));
		const first = await gateway.run('image:generate', parameters, { items });
		const again = await gateway.run('image:generate', parameters, { items });

		expect(outcome(first.json(NODE))).toEqual({ finished: keys, paid: [...keys].sort() });
		expect(again.json(NODE).map(({ task_id }) => task_id)).toEqual(
			first.json(NODE).map(({ task_id }) => task_id),
		);
		expect(gateway.sandbox.tasks()).toHaveLength(keys.length);
		expect(
			gateway.sandbox
				.tasks()
				.map(({ key }) => key)
				.sort(),
		).toEqual([
			'%E4%BA%A7%E5%93%81',
			'%E4%BA%A7%E5%93%81-7',
			'%E8%AE%A2%E5%8D%95-7',
			'Stra%C3%9Fe 7',
			'order 7',
		]);
	});
});

/** Whether all tasks are made, and their one is waited for in a request, or several are polled. */
function isWaiting(count: number): boolean {
	const { requests } = gateway.sandbox;
	const waits = requests.filter(({ method, headers }) =>
		count === 1 ? headers.prefer !== undefined : method === 'GET',
	);
	return gateway.sandbox.tasks().length === count && waits.length > 0;
}

describe('the Stop button', () => {
	it.each([
		['while the submission waits for its result', rows(1), 20],
		['while tasks are polled', rows(3), 2],
	] as const)('ends the node at once %s', async (_when, items, concurrency) => {
		gateway.sandbox.settings.taskMs = Infinity;
		const user = new AbortController();
		void until(() => isWaiting(items.length)).then(() => user.abort());
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { concurrency, cancelOnStop: false } },
			{ items: [...items], engine: { signal: user.signal } },
		);

		expect(run.status).not.toBe('success');
		// What had been sent before arrives.
		await delay(100);
		const requestCount = gateway.sandbox.requests.length;
		await delay(700);
		expect(gateway.sandbox.requests).toHaveLength(requestCount);
	});

	it.each([
		['while the submission waits for its result', rows(1), 20],
		['while tasks are polled', rows(3), 2],
	] as const)(
		'cancels the tasks at the gateway when the user wants that, %s',
		async (_when, items, concurrency) => {
			gateway.sandbox.settings.taskMs = Infinity;
			const user = new AbortController();
			void until(() => isWaiting(items.length)).then(() => user.abort());
			await gateway.run(
				'image:generate',
				{ ...kite, options: { concurrency, cancelOnStop: true } },
				{ items: [...items], engine: { signal: user.signal } },
			);

			await until(() => gateway.sandbox.tasks().every(({ status }) => status === 'cancelled'));
			expect(gateway.sandbox.tasks().map(({ status }) => status)).toEqual(
				items.map(() => 'cancelled'),
			);
		},
	);
});
