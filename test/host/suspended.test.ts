import axios from 'axios';
import type { NodeSpec } from '../../scripts/engine';
import { gatewayNode, modelId } from '../support/gateway';
import { hostsOr } from '../support/hosts';
import {
	calledWorkflow,
	splitOut,
	useHost,
	type HostFixture,
	type HostWorkflow,
} from '../support/useHost';
import { delay } from '../support/useSandbox';

/** More than those that call back. */
const TASKS = 30;
/** E.g. `BATCH=1000 npm run test:host -- suspended.test`. */
const BATCH = Number(process.env.BATCH ?? 100);
/** As many as wanted: `SUSPENDED=1000 npm run test:host -- suspended`. */
const SUSPENDED = Number(process.env.SUSPENDED ?? 60);
const SENT_AT_ONCE = 20;
/** Far below the suspended executions, so that none of them can count towards this limit. */
const CONCURRENCY_LIMIT = 5;
const settings = {
	taskMs: Infinity,
	callbackRetry: { attempts: 20, delayMs: 500, timeoutMs: 20_000 },
};
const env = { N8N_CONCURRENCY_PRODUCTION_LIMIT: String(CONCURRENCY_LIMIT) };

interface Collected {
	rows: { task_id: string; status: string }[];
}
type Fixture = HostFixture<Collected>;

/** Called with a number of rows: submits a task for each, suspends, and posts all items in one piece to the collector. */
function workflow(
	fixture: Fixture,
	id: string,
	suspendHours: number,
	...between: NodeSpec[]
): HostWorkflow {
	const rows =
		'={{ JSON.stringify({ rows: Array.from({ length: $json.body.rows }, (_, row) => ({ row, batch: $json.body.batch })) }) }}';
	return calledWorkflow(
		id,
		{
			name: 'Rows',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: { mode: 'raw', jsonOutput: rows, options: {} },
		},
		splitOut('rows'),
		gatewayNode(
			'image:generate',
			{
				prompt: '={{ $json.batch }} {{ $json.row }}',
				wait: 'none',
				options: { callbackExecution: true },
			},
			{ name: 'Submit' },
		),
		gatewayNode(
			'task:await',
			{ taskId: '={{ $json.task_id }}', waitBy: 'suspend', suspendHours },
			{ name: 'Await' },
		),
		...between,
		{
			name: 'All',
			type: 'n8n-nodes-base.aggregate',
			parameters: { aggregate: 'aggregateAllItemData', options: {} },
		},
		fixture.report('Collect', '{ rows: $json.data }'),
	);
}

/** Called with a file, which goes into the request of a task; nothing waits for it. */
const withFile = calledWorkflow(
	'with-file',
	gatewayNode('task:submit', {
		model: modelId('gmn-2.5-flash-image-preview'),
		parameters: '{ "prompt": "from a file", "action": "edit", "image_urls": ["data"] }',
	}),
);

/** Takes a place of the limit. n8n would suspend an execution that waits for more than 65 seconds. */
const blocker = calledWorkflow('blocker', {
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	parameters: { amount: '={{ $json.body.seconds }}', unit: 'seconds' },
});

describe.each(hostsOr('newest'))('suspended in n8n $n8n', (version) => {
	const fixture: Fixture = useHost<Collected>(version, { settings, env }, async (created) => {
		const again = gatewayNode(
			'task:await',
			{ taskId: '={{ $json.task_id }}' },
			{ name: 'Await Again' },
		);
		await created.deploy(
			workflow(created, 'suspended', 1),
			workflow(created, 'lossy', 0.002, again),
			withFile,
			blocker,
			calledWorkflow(
				'queued',
				gatewayNode('image:generate', { prompt: 'queued 0', wait: 'suspend' }, { name: 'First' }),
				created.report('Collect', '{ rows: [$json] }'),
				gatewayNode('image:generate', { prompt: 'queued 1', wait: 'suspend' }, { name: 'Second' }),
			),
		);
	});

	const start = async (id: string, batch: string, rows = TASKS) =>
		await fixture.post(id, { batch, rows });
	const tasksOf = (batch: string) =>
		fixture.sandbox.tasks().filter(({ body }) => {
			const prompt = String(body.prompt);
			return prompt.startsWith(`${batch} `) || (batch.endsWith('-') && prompt.startsWith(batch));
		});
	/** The tasks of a batch in an order that is not theirs. */
	const shuffled = (batch: string) =>
		tasksOf(batch)
			.map(({ task_id }, at) => ({ task_id, order: (at * 7) % TASKS }))
			.sort((one, other) => one.order - other.order)
			.map(({ task_id }) => task_id);
	/** Ends tasks; their callbacks are on their way, and those that come when the execution has gone on are refused by n8n. */
	const finish = (ids: string[]) => void ids.forEach((id) => void fixture.sandbox.finish(id));

	/** Suspends a batch and resolves when it is suspended, with none of its tasks ended. */
	async function suspendBatch(id: string, batch: string, rows = TASKS): Promise<void> {
		const before = await fixture.count('waiting');
		await start(id, batch, rows);
		await fixture.until(
			async () => tasksOf(batch).length === rows && (await fixture.count('waiting')) === before + 1,
		);
		// n8n lists an execution as waiting a moment before it can resume it; a call in between is answered 500.
		await delay(1_000);
	}

	function expectAll(batch: string, { rows }: Collected, count = TASKS): void {
		const prompts = new Map(tasksOf(batch).map(({ task_id, body }) => [task_id, body.prompt]));
		expect(rows.map(({ task_id }) => prompts.get(task_id))).toEqual(
			Array.from({ length: count }, (_, row) => `${batch} ${row}`),
		);
		expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['completed']));
	}

	beforeEach(() => void (fixture.collector.received.length = 0));

	it('resumes once for tasks that end in any order, with all results in theirs', async () => {
		await suspendBatch('suspended', 'shuffled');
		finish(shuffled('shuffled'));
		const [first, ...more] = await fixture.collector.until(1);

		expectAll('shuffled', first!);
		expect(more).toEqual([]);
		// n8n refuses a call that meets an execution on its way with a number of its own, 500 under load.
		const refusals = tasksOf('shuffled')
			.flatMap(({ deliveries }) => deliveries)
			.map(({ status, refusal }) => ({ status, ...(refusal as { received?: false }) }))
			.filter(({ received }) => received !== undefined);
		expect(refusals.filter(({ status }) => status !== 503)).toEqual([]);
	});

	it(`goes on soon when ${BATCH} tasks end at the same moment, with few calls`, async () => {
		await suspendBatch('suspended', 'at once', BATCH);
		const endedAt = Date.now();
		finish(tasksOf('at once').map(({ task_id }) => task_id));
		const [first] = await fixture.collector.until(1);
		const calls = tasksOf('at once').flatMap(({ deliveries }) => deliveries);
		const ids = new Set(tasksOf('at once').map(({ task_id }) => task_id));
		const polls = fixture.sandbox.requests.filter(
			({ at, path }) => at >= endedAt && ids.has(path.split('/').at(-1)!),
		);
		console.log(
			`${BATCH} tasks: went on after ${(first!.at - endedAt) / 1000} s, ${calls.length} calls, ${polls.length} polls`,
		);

		expectAll('at once', first!, BATCH);
		// At most twice a task: some may have been polled while they still ran.
		expect(polls.length).toBeLessThanOrEqual(2 * BATCH);
		expect(tasksOf('at once').filter(({ callbacks }) => callbacks)).toHaveLength(
			Math.min(BATCH, 25),
		);
	});

	it('goes on after n8n was killed and started again in the middle', async () => {
		await suspendBatch('suspended', 'restarted');
		const order = shuffled('restarted');
		finish(order.slice(0, TASKS / 2));
		await fixture.host.stop('SIGKILL');
		finish(order.slice(TASKS / 2));
		await fixture.start();
		const [first, ...more] = await fixture.collector.until(1);

		expectAll('restarted', first!);
		expect(more).toEqual([]);
	});

	it('resumes once where n8n keeps the resume in its queue, though the execution waits again behind it', async () => {
		const before = await fixture.count('waiting');
		await start('queued', 'queued');
		await fixture.until(async () => (await fixture.count('waiting')) === before + 1);
		await delay(1_000);
		// One place becomes free: together with the others, n8n would refuse all resumes but one.
		for (const seconds of [25, ...Array<number>(CONCURRENCY_LIMIT - 1).fill(60)])
			await fixture.post('blocker', { seconds });
		await fixture.until(async () => (await fixture.count('running')) === CONCURRENCY_LIMIT);
		finish(tasksOf('queued').map(({ task_id }) => task_id));
		await fixture.until(() => tasksOf('queued').length === 2);
		await delay(10_000);

		expect(fixture.collector.received).toHaveLength(1);
		await fixture.until(async () => (await fixture.count('running')) === 0);
	});

	it('goes on after its time when three callbacks were lost, and the next await finds their tasks', async () => {
		await suspendBatch('lossy', 'lossy');
		const order = shuffled('lossy');
		fixture.sandbox.settings.callbacks = 'lost';
		finish(order.slice(-3));
		// Whichever of the others called back, the three would be found; so they end once the time is up.
		const countPolls = () =>
			fixture.sandbox.requests.filter(({ path: at }) => at.endsWith(order[0]!)).length;
		const before = countPolls();
		await fixture.until(() => countPolls() > before, 150);
		finish(order.slice(0, -3));
		const [first] = await fixture.collector.until(1);
		fixture.sandbox.settings.callbacks = 'normal';

		expectAll('lossy', first!);
	});

	it('keeps a file that came by a webhook for the gateway, also when the run has ended', async () => {
		const bytes = Buffer.from('89504e470d0a1a0a', 'hex');
		const form = new FormData();
		form.append('data', new Blob([bytes], { type: 'image/png' }), 'kite.png');
		await axios.post(`${fixture.host.url}/webhook/with-file`, form);
		const isMade = ({ body }: { body: { prompt?: unknown } }) => body.prompt === 'from a file';
		await fixture.until(() => fixture.sandbox.tasks().some(isMade));
		await fixture.until(async () => (await fixture.count('running')) === 0);

		const { body } = fixture.sandbox.tasks().find(isMade)!;
		const [link] = body.image_urls as [string];
		const { data } = await axios.get<ArrayBuffer>(link, { responseType: 'arraybuffer' });
		expect(Buffer.from(data)).toEqual(bytes);
	});

	it(`counts towards no limit: with ${SUSPENDED} suspended and a limit of ${CONCURRENCY_LIMIT}, another runs at once; all go on after n8n was killed`, async () => {
		const before = await fixture.count('waiting');
		for (let sent = 0; sent < SUSPENDED; sent += SENT_AT_ONCE)
			await Promise.all(
				Array.from({ length: SENT_AT_ONCE }, (_, at) => start('suspended', `many-${sent + at}`, 1)),
			);
		await fixture.until(async () => (await fixture.count('waiting')) === before + SUSPENDED, 300);
		expect(await fixture.count('running')).toBe(0);

		await suspendBatch('suspended', 'last');
		finish(tasksOf('last').map(({ task_id }) => task_id));
		const [first] = await fixture.collector.until(1);
		expectAll('last', first!);
		expect(await fixture.count('waiting')).toBe(before + SUSPENDED);

		await fixture.host.stop('SIGKILL');
		await fixture.start();
		fixture.collector.received.length = 0;
		finish(tasksOf('many-').map(({ task_id }) => task_id));
		const resumed = await fixture.collector.until(SUSPENDED, 900);
		await delay(3_000);
		const ids = resumed.flatMap(({ rows }) => rows.map(({ task_id }) => task_id));
		expect(ids.sort()).toEqual(
			tasksOf('many-')
				.map(({ task_id }) => task_id)
				.sort(),
		);
		expect(fixture.collector.received).toHaveLength(SUSPENDED);
	});
});
