import { TaskAccount } from '../../nodes/GenerationGateway/account/taskAccount';
import { createGatewayContext } from '../../nodes/n8n/gatewayContext';
import { itemsNode, linear, retryExecution, runWorkflow } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { onFastClock } from '../support/fastClock';
import { restartProcess } from '../support/restartProcess';
import { delay, until } from '../support/useSandbox';

const gateway = useGateway({ taskMs: Infinity });
const kite = { model: modelId('imgn-4.0'), prompt: '={{ $json.row ?? "a kite" }}', wait: 'poll' };
const tasks = () => gateway.sandbox.tasks();
const statuses = () => tasks().map(({ status }) => status);
afterEach(() => void jest.restoreAllMocks());
/** Runs and stops as soon as the condition is met. */
async function stopWhen(
	met: () => boolean,
	options: Record<string, unknown>,
	{
		rows = 1,
		menu = 'image:generate' as const,
		wait = 'poll',
		prompt = kite.prompt,
		node = {},
	} = {},
) {
	const user = new AbortController();
	const items = Array.from({ length: rows }, (_, row) => ({ row: `row ${row}` }));
	const ending = gateway.run(
		menu,
		{ ...kite, prompt, wait, options },
		{ items, node, engine: { signal: user.signal } },
	);
	await until(met);
	user.abort();
	const sent = gateway.posts().length;
	const run = await ending;
	return { run, sent };
}

describe('stopping a run', () => {
	it('cancels its tasks unless the user has turned that off', async () => {
		const { run } = await stopWhen(() => tasks().length === 1, {});
		await until(() => statuses()[0] === 'cancelled');
		expect(run.status).not.toBe('success');

		await stopWhen(() => tasks().length === 2, { cancelOnStop: false });
		await delay(200);
		expect(statuses()[1]).not.toBe('cancelled');
	});

	it.each([true, false])(
		'says in its custom data which tasks it cancels, with Cancel Tasks on Stop %s',
		async (cancelOnStop) => {
			const isRunning = () =>
				gateway.sandbox.requests.filter(({ headers }) => headers.prefer).length === 2;
			const { run } = await stopWhen(isRunning, { cancelOnStop }, { rows: 2 });
			const { gateway_task_ids: made, gateway_cancelling: cancelling } =
				run.run.data.resultData.metadata!;

			expect(made!.split(', ').sort()).toEqual(
				tasks()
					.map(({ task_id }) => task_id)
					.sort(),
			);
			expect(cancelling).toBe(cancelOnStop ? made : undefined);
		},
	);

	it('cancels the tasks of a node that does not wait for them, since nobody gets their IDs', async () => {
		gateway.sandbox.settings.apiLatencyMs = 30;
		await stopWhen(() => tasks().length >= 3, { concurrency: 2 }, { rows: 30, wait: 'none' });
		await until(() => statuses().every((status) => status === 'cancelled'));

		expect(tasks().length).toBeLessThan(30);
	});

	it.each([true, false])(
		'of 300 rows sends none that had not been sent, with Cancel Tasks on Stop %s',
		async (cancelOnStop) => {
			gateway.sandbox.settings.apiLatencyMs = 40;
			const options = { cancelOnStop, concurrency: 20 };
			const { sent } = await stopWhen(() => tasks().length >= 20, options, { rows: 300 });
			await until(() => !cancelOnStop || statuses().every((status) => status === 'cancelled'));
			await delay(300);

			const keys = gateway.posts().map(({ headers }) => headers['idempotency-key']);
			// Those that were under way arrive after the stop.
			expect(new Set(keys).size).toBeLessThanOrEqual(sent + 20);
			expect(statuses().includes('cancelled')).toBe(cancelOnStop);
		},
	);

	it('cancels its tasks side by side: while one waits for the gateway, others end and are billed', async () => {
		let most = 0;
		const cancels = () => gateway.sandbox.requests.filter(({ path }) => path.endsWith('/cancel'));
		gateway.sandbox.faults.injection = () => {
			const isFirst = !statuses().includes('cancelled');
			if (isFirst) most = cancels().length;
			return undefined;
		};
		gateway.sandbox.settings.apiLatencyMs = 500;
		await stopWhen(() => tasks().length === 30, {}, { rows: 30 });
		await until(() => statuses().every((status) => status === 'cancelled'));

		expect(most).toBe(30);
	});

	it('between two tries of Retry On Fail leaves a task alone that has completed', async () => {
		gateway.sandbox.settings.taskMs = 0;
		gateway.sandbox.settings.fail = ({ prompt }) => (prompt === 'row 0' ? 'too hot' : undefined);
		const node = { retryOnFail: true, maxTries: 4, waitBetweenTries: 300 };
		await stopWhen(() => gateway.sandbox.downloads.length === 1, {}, { rows: 2, node });
		await delay(200);

		const { task_id: completed } = tasks().find(({ status }) => status === 'completed')!;
		const cancelled = gateway.sandbox.requests.filter(({ path }) => path.endsWith('/cancel'));
		expect(cancelled.map(({ path }) => path)).not.toContain(`/v1/tasks/${completed}/cancel`);
	});

	it('leaves a task alone whose end another row with its key was told', async () => {
		const shared = () => tasks().find(({ key }) => key === 'key');
		let sent = 0;
		gateway.sandbox.faults.injection = ({ method, headers }) => {
			if (method !== 'POST' || headers['idempotency-key'] !== 'key') return undefined;
			// The first row makes the task, the second one gets it at its end. The third one goes on.
			const isHeld = (sent += 1) > 1 && shared()?.status !== 'completed';
			return isHeld ? { kind: { status: 429, retryAfter: '0.2' } } : undefined;
		};
		const finishing = until(() => sent > 1).then(
			async () => await gateway.sandbox.finish(shared()!.task_id),
		);
		// What the gateway has sent, the node may not have read yet.
		const submitted = jest.spyOn(TaskAccount.prototype, 'submitted');
		const of = (third: string, others: string) =>
			`={{ $json.row === "row 2" ? "${third}" : "${others}" }}`;
		await stopWhen(
			() => submitted.mock.calls.length === 3,
			{ idempotencyKey: of('other', 'key') },
			{ rows: 3, wait: of('poll', 'none'), prompt: of('a quay', 'a kite') },
		);
		await finishing;
		await until(() => statuses().includes('cancelled'));

		const paths = gateway.sandbox.requests.map(({ path }) => path);
		expect(paths).not.toContain(`/v1/tasks/${shared()!.task_id}/cancel`);
	});

	it('lets a Retry wait for the cancellation, and make a new task', async () => {
		gateway.sandbox.faults.add({ match: { path: /cancel$/ }, kind: 'hang', hangMs: 300 });
		const { run } = await stopWhen(() => tasks().length === 1, {});
		gateway.sandbox.settings.taskMs = 0;
		delete (run.execution.options as { signal?: AbortSignal }).signal;
		const retried = await retryExecution(run);

		expect(retried.json(NODE)).toEqual([expect.objectContaining({ status: 'completed' })]);
		expect(statuses()).toEqual(['cancelled', 'completed']);
	});

	it.each([
		['the same rows', (rows: unknown[]) => rows],
		['the rows in another order', (rows: unknown[]) => rows.reverse()],
		['a new row before them', (rows: unknown[]) => rows.unshift({ json: { row: 'new' } })],
	])('lets a Retry find what was made, though n8n hands on nothing but %s', async (_name, move) => {
		gateway.sandbox.settings.now = () => Date.now() - 60_000;
		gateway.sandbox.settings.taskMs = ({ prompt }) => (prompt === 'row 0' ? 0 : Infinity);
		const isHalf = () => statuses().includes('completed') && tasks().length === 2;
		const { run } = await stopWhen(isHalf, {}, { rows: 2 });
		await until(() => statuses().includes('cancelled'));
		Object.assign(gateway.sandbox.settings, { taskMs: 0, now: () => Date.now() });
		delete (run.execution.options as { signal?: AbortSignal }).signal;
		const { resultData, executionData } = run.run.data;
		delete resultData.metadata;
		executionData!.contextData = {};
		move(executionData!.nodeExecutionStack[0]!.data.main![0]!);
		restartProcess();
		const retried = await retryExecution(run);

		const made = tasks().map(({ body, status }) => `${String(body.prompt)} ${status}`);
		const isMadeOnce = ['row 0 completed', 'row 1 cancelled', 'row 1 completed'];
		expect(made.filter((name) => !name.startsWith('new')).sort()).toEqual(isMadeOnce);
		const reused = retried.json(NODE).filter((item) => item.reused);
		const paid = tasks().find(({ body }) => body.prompt === 'row 0')!;
		expect(reused.map(({ task_id }) => task_id)).toEqual([paid.task_id]);
	});

	it('finds a task by its key whose answer was lost, and cancels it', async () => {
		const submissions = { method: 'POST', path: '/v1/tasks' };
		gateway.sandbox.faults.add({ match: submissions, hangMs: 300, kind: 'hang' });
		await stopWhen(() => tasks().length === 1, {});
		await until(() => statuses()[0] === 'cancelled');

		expect(tasks()).toHaveLength(1);
	});

	it('leaves a task alone that another execution has made, also when its own submission is under way', async () => {
		const keyed = { idempotencyKey: 'row-8' };
		await gateway.run('image:generate', { ...kite, wait: 'none', options: keyed });
		const submissions = { method: 'POST', path: '/v1/tasks' };
		gateway.sandbox.faults.add({ match: submissions, hangMs: 300, kind: 'hang' });
		await stopWhen(() => gateway.posts().length === 2, keyed);
		await until(() => gateway.posts().length === 3);
		await delay(300);

		expect(tasks()).toHaveLength(1);
		expect(statuses()).not.toContain('cancelled');
	});

	it('cancels a task that a Retry waits for, though the failed execution has made it', async () => {
		gateway.sandbox.faults.injection = ({ method, body }) =>
			method === 'POST' && (body as { prompt?: string }).prompt === 'row 1'
				? { kind: { status: 402 } }
				: undefined;
		const items = [{ row: 'row 0' }, { row: 'row 1' }];
		const options = { timeout: 1 };
		const failed = await gateway.run('image:generate', { ...kite, options }, { items });
		expect(failed.status).toBe('error');
		gateway.sandbox.faults.injection = () => undefined;
		const user = new AbortController();
		Object.assign(failed.execution.options, { signal: user.signal });
		const before = gateway.posts().length;
		const retrying = retryExecution(failed);
		await until(() => tasks().length === 2 && gateway.posts().length >= before + 2);
		await delay(100);
		user.abort();
		await retrying;

		await until(() => statuses().every((status) => status === 'cancelled'));
	});

	describe('with a key for whose task another workflow waits', () => {
		const options = { idempotencyKey: 'row-9' };
		const submissions = { method: 'POST', path: '/v1/tasks' };
		const isWaiting = () => gateway.sandbox.requests.some(({ headers }) => headers.prefer);

		/** In another process, a minute ago. */
		async function makeBefore() {
			gateway.sandbox.settings.now = () => Date.now() - 60_000;
			const model = modelId('imgn-4.0');
			await gateway.run('task:submit', { model, parameters: { prompt: 'row 0' }, options });
			gateway.sandbox.settings.now = () => Date.now();
			restartProcess();
		}

		async function stopAnother(isDue: () => boolean, rows = 1, more = {}) {
			const user = new AbortController();
			const items = Array.from({ length: rows }, () => ({ row: 'row 0' }));
			const parameters = { ...kite, options };
			const node = gatewayNode('image:generate', parameters, { id: 'another', ...more });
			const workflow = { ...linear(itemsNode(items), node), id: 'another' };
			const waiting = runWorkflow(workflow, { ...gateway.options(), signal: user.signal });
			await until(isDue);
			user.abort();
			await waiting;
			await delay(500);
		}

		it.each([
			['one row', 1, {}],
			['two rows', 2, {}],
			['Retry On Fail', 1, { retryOnFail: true, maxTries: 2, waitBetweenTries: 50 }],
		])('leaves it alone, with %s', async (_name, rows, more) => {
			await makeBefore();
			await stopAnother(isWaiting, rows, more);

			expect(statuses()).toEqual([expect.not.stringMatching('cancelled')]);
		});

		it('leaves it alone, also when its own submission is under way', async () => {
			await makeBefore();
			gateway.sandbox.faults.add({ match: submissions, hangMs: 400, kind: 'hang' });
			const posts = gateway.posts().length;
			await stopAnother(() => gateway.posts().length > posts);
			await until(() => gateway.posts().length > posts + 1);
			await delay(200);

			expect(statuses()).toEqual([expect.not.stringMatching('cancelled')]);
		});

		it(
			'cancels one that an earlier try has made, whose replies were lost',
			onFastClock(async () => {
				const losses = { match: submissions, kind: 'reset-after' as const, times: 6 };
				gateway.sandbox.faults.add(losses);
				// As after a long time.
				gateway.sandbox.settings.now = () => Date.now() - 60_000;
				const more = { retryOnFail: true, maxTries: 2, waitBetweenTries: 50 };
				await stopAnother(isWaiting, 1, more);

				await until(() => statuses()[0] === 'cancelled');
				expect(tasks()).toHaveLength(1);
			}),
		);
	});

	it('tells another execution that waits for the task to try again', async () => {
		const options = { ifAlreadyMade: 'reuse' };
		const node = gatewayNode(
			'image:generate',
			{ ...kite, options },
			{ id: 'one', onError: 'continueRegularOutput' },
		);
		const workflow = linear(itemsNode([{}]), node);
		const user = new AbortController();
		const first = runWorkflow(workflow, { ...gateway.options(), signal: user.signal });
		await until(() => tasks().length === 1);
		const second = runWorkflow(workflow, gateway.options());
		const posts = gateway.posts().length;
		await until(() => gateway.posts().length > posts);
		await delay(100);
		user.abort();
		await first;

		expect((await second).json(NODE)).toEqual([
			expect.objectContaining({
				details: expect.objectContaining({ code: 'task_cancelled', retry: true }),
			}),
		]);
	});

	it('leaves a task alone that another execution has made', async () => {
		const keyed = { idempotencyKey: 'row-7' };
		await gateway.run('image:generate', { ...kite, wait: 'none', options: keyed });
		await stopWhen(() => gateway.sandbox.requests.some(({ headers }) => headers.prefer), keyed);
		await delay(200);

		expect(statuses()).not.toContain('cancelled');
	});
});

it('has a clock that nobody sets', () => {
	const node = { getExecutionCancelSignal: () => undefined } as never;
	const { clock } = createGatewayContext(node);
	const set = jest.spyOn(Date, 'now').mockReturnValue(0);
	expect(clock.now()).toBeGreaterThan(1e12);
	set.mockRestore();
});
