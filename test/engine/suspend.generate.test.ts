import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { SuspendedItem } from '../../nodes/GenerationGateway/suspend/storedSuspension';
import {
	file,
	itemsNode,
	linear,
	retryExecution,
	runWorkflow,
	type EngineRun,
} from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { restartProcess } from '../support/restartProcess';
import { useInstance } from '../support/useInstance';

const gateway = useGateway({
	taskMs: Infinity,
	callbackRetry: { attempts: 6, delayMs: 60, timeoutMs: 5_000 },
});
const instance = useInstance();

const AFTER = 'After';
/** The second row has the task of an earlier node, and the last one has failed before. */
const ROWS = [
	{ row: 'a' },
	{ row: 'b', task_id: 'task_1', status: 'completed', progress: 100, cost: 21_250 },
	{ row: 'c', error: 'It failed', details: { code: 'task_failed', retry: true } },
];
const tasks = () => gateway.sandbox.tasks();
const finishAll = async () => {
	for (const [at, { task_id }] of tasks().entries())
		await gateway.sandbox.finish(task_id, at === 1 ? 'failed' : 'completed');
};
const run = async (menu: 'image:generate' | 'task:submit', parameters: object, more = {}) =>
	await instance.run(
		linear(
			itemsNode(ROWS),
			gatewayNode(
				menu,
				{ model: modelId('imgn-4.0'), wait: 'suspend', ...parameters },
				{ onError: 'continueRegularOutput', ...more },
			),
			{ type: 'n8n-nodes-base.noOp', name: AFTER },
		),
		gateway.options(),
	);

/** Of each row of a suspended execution: whether its task calls back. */
const calledBack = ({ run: { data } }: EngineRun) => {
	const [items] = data.executionData!.nodeExecutionStack[0]!.data.main!;
	return items!.map(({ pairedItem }) => {
		const { suspended } = pairedItem as Pick<SuspendedItem, 'suspended'>;
		return suspended!.period!.isCalledBack;
	});
};

/** As n8n runs a workflow that another one calls. */
const runCalled = async (menu: 'image:generate' | 'task:submit', parameters: object) =>
	await runWorkflow(
		linear(
			itemsNode(ROWS),
			gatewayNode(menu, { model: modelId('imgn-4.0'), wait: 'suspend', ...parameters }),
		),
		{ ...gateway.options(), mode: 'integrated' },
	);

const SUBMITS = [
	['image:generate', { prompt: '={{ $json.row }}' }],
	['task:submit', { parameters: '={{ { prompt: $json.row } }}' }],
] as const;

describe.each(SUBMITS)('Suspend Execution Until Done, in %s', (menu, parameters) => {
	it('suspends the execution in the node that submits, and goes on with all results', async () => {
		const suspended = await run(menu, { ...parameters, options: { output: 'links' } });
		expect(suspended.status).toBe('waiting');
		expect(tasks()).toHaveLength(3);
		// A callback that came before the suspension was lost, so each task is read once more.
		const reads = gateway.sandbox.requests.filter(({ method }) => method === 'GET');
		const urls = tasks().map(({ task_id }) => `/v1/tasks/${task_id}`);
		expect(reads.map(({ path }) => path)).toEqual(expect.arrayContaining(urls));
		await finishAll();

		const ended = await instance.waitForEnd(suspended.executionId);
		expect(ended.status).toBe('success');
		expect(ended.executed.filter((name) => name === AFTER)).toHaveLength(1);
		const items = ended.json(AFTER);
		expect(items.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);
		expect(items[1]).toMatchObject({ item_index: 1, error: expect.stringContaining('failed') });
		expect(ended.items(NODE).map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2].map((item) => ({ item })),
		);
	});

	it('stores items that the Code node of n8n accepts, since they go on when the time runs out', async () => {
		const { run: waiting } = await run(menu, parameters);
		const [items] = waiting.data.executionData!.nodeExecutionStack[0]!.data.main!;

		expect(items!.map((item) => Object.keys(item).sort())).toEqual(
			ROWS.map(() => ['json', 'pairedItem']),
		);
	});

	it('has each result, finished or failed, beside its row', async () => {
		const options = { output: 'links', includeInput: true };
		const suspended = await run(menu, { ...parameters, options });
		await finishAll();

		const ended = await instance.waitForEnd(suspended.executionId);
		expect(ended.json(AFTER).map(({ row, status }) => [row, status])).toEqual([
			['a', 'completed'],
			['b', 'failed'],
			['c', 'completed'],
		]);
		expect(ended.json(AFTER)[1]).toMatchObject({ task_id: tasks()[1]!.task_id, cost: 0 });
		expect(ended.json(AFTER)[2]).not.toHaveProperty('details');
	});

	it('says of a task that failed meanwhile which model was chosen', async () => {
		gateway.sandbox.faults.injection = ({ body }) =>
			(body as { model?: string } | undefined)?.model === 'imgn-4.0'
				? { kind: { status: 404 } }
				: undefined;
		const options = { output: 'links', fallbackModels: 'qwn-image-2.0' };
		const suspended = await run(menu, { ...parameters, options });
		await finishAll();

		const items = (await instance.waitForEnd(suspended.executionId)).json(AFTER);
		expect(items.find(({ error }) => error)).toMatchObject({
			details: { code: 'task_failed', fallback_from: 'imgn-4.0' },
		});
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'with Retry On Fail sends a refused row again as it is, before the execution is suspended (%s)',
		async (onError) => {
			let refusals = 2;
			gateway.sandbox.faults.injection = ({ method, body }) =>
				method === 'POST' && (body as { prompt?: string }).prompt === 'a' && (refusals -= 1) >= 0
					? { kind: { status: 402 } }
					: undefined;
			const more = { onError, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
			const options = { output: 'links' };
			const suspended = await run(menu, { ...parameters, options }, more);
			expect(suspended.status).toBe('waiting');
			expect(tasks().map(({ body }) => body.prompt)).toEqual(['b', 'c', 'a']);
			for (const { task_id } of tasks()) await gateway.sandbox.finish(task_id);

			const items = (await instance.waitForEnd(suspended.executionId)).json(NODE);
			expect(items.map(({ task_id }) => task_id)).toEqual(
				[2, 0, 1].map((at) => tasks()[at]!.task_id),
			);
		},
	);

	it('is suspended after the last try with the row that is still refused', async () => {
		gateway.sandbox.faults.injection = ({ method, body }) =>
			method === 'POST' && (body as { prompt?: string }).prompt === 'a'
				? { kind: { status: 402 } }
				: undefined;
		const more = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const suspended = await run(menu, { ...parameters, options: { output: 'links' } }, more);
		expect(suspended.status).toBe('waiting');
		expect(tasks().map(({ body }) => body.prompt)).toEqual(['b', 'c']);
		for (const { task_id } of tasks()) await gateway.sandbox.finish(task_id);

		const items = (await instance.waitForEnd(suspended.executionId)).json(AFTER);
		expect(items.map(({ status, details }) => status ?? details)).toEqual([
			expect.objectContaining({ code: 'insufficient_balance' }),
			'completed',
			'completed',
		]);
	});

	it('gives a refused row the fields of its input, and no files', async () => {
		const prompt = '$json.row === "a" ? "" : $json.row';
		const given = { prompt: `={{ ${prompt} }}`, parameters: `={{ { prompt: ${prompt} } }}` };
		const suspended = await instance.run(
			linear(
				itemsNode([
					{ json: { row: 'a' }, binary: { data: file('talk', 'talk.mp3', 'audio/mpeg') } },
					{ json: { row: 'b' } },
				]),
				gatewayNode(
					menu,
					{ model: modelId('imgn-4.0'), wait: 'suspend', ...given },
					{ onError: 'continueErrorOutput' },
				),
			),
			gateway.options(),
		);
		await finishAll();

		const [item] = (await instance.waitForEnd(suspended.executionId)).items(NODE, 1);
		expect(item).toMatchObject({ json: { row: 'a', error: 'Prompt is empty' } });
		expect(item!.binary).toBeUndefined();
	});

	it('says which model was chosen, and that a task is reused', async () => {
		gateway.sandbox.faults.injection = ({ body }) =>
			(body as { model?: string } | undefined)?.model === 'imgn-4.0'
				? { kind: { status: 404 } }
				: undefined;
		const options = {
			output: 'links',
			fallbackModels: 'qwn-image-2.0',
			idempotencyKey: `={{ '${menu} ' + $json.row }}`,
		};
		const marks = [];
		for (const prefix of ['first', 'second']) {
			const suspended = await run(menu, { ...parameters, options });
			expect([prefix, suspended.status]).toEqual([prefix, 'waiting']);
			marks.push(suspended.json(NODE)[2]);
			const { suspended: stored } = suspended.items(NODE)[2] as SuspendedItem;
			// A stop cancels what this execution has made.
			expect(stored!.cancelsOnStop).toBe(prefix === 'first');
			if (prefix === 'first') continue;
			await finishAll();
			marks.push((await instance.waitForEnd(suspended.executionId)).json(AFTER)[2]);
		}

		const replaced = { fallback_from: 'imgn-4.0', fallback_reason: expect.any(String) };
		const status = expect.stringMatching(/^(queued|processing)$/);
		expect(marks).toEqual([
			expect.objectContaining({ status, ...replaced }),
			expect.objectContaining({ status, reused: true, ...replaced }),
			expect.objectContaining({ status: 'completed', reused: true, ...replaced }),
		]);
		expect(marks[0]).not.toHaveProperty('reused');
	});

	it('polls after a Retry of the execution, since its tasks call back the one before', async () => {
		let isRefusing = true;
		gateway.sandbox.faults.injection = ({ method, body }) =>
			isRefusing && method === 'POST' && (body as { prompt?: string }).prompt === 'c'
				? { kind: { status: 400 } }
				: undefined;
		const failed = await run(menu, parameters, { onError: undefined });
		expect(failed.status).toBe('error');
		isRefusing = false;
		const retried = await retryExecution(failed);

		expect(tasks().map(({ body }) => String(body.callback_url).split('/')[4])).toEqual([
			...[failed.executionId, failed.executionId, retried.executionId],
		]);
		expect(calledBack(retried)).toEqual([false, false, false]);
	});

	it('polls a task that the first of thirty rows with one key has made, since only the last rows have the link', async () => {
		const rows = Array.from({ length: 30 }, () => ({ row: 'a' }));
		const options = { output: 'links', idempotencyKey: `${menu} for all`, concurrency: 1 };
		const node = gatewayNode(menu, {
			model: modelId('imgn-4.0'),
			wait: 'suspend',
			...parameters,
			options,
		});
		const suspended = await instance.run(linear(itemsNode(rows), node), gateway.options());

		expect(tasks().map(({ body }) => body.callback_url)).toEqual([undefined]);
		expect(new Set(calledBack(suspended))).toEqual(new Set([false]));
	});

	it('polls tasks that an execution in another process has made, since they call that one back', async () => {
		const idempotencyKey = `={{ '${menu} made before ' + $json.row }}`;
		const options = { output: 'links', idempotencyKey };
		const executions = [];
		while (executions.length < 2) {
			restartProcess();
			executions.push(await run(menu, { ...parameters, options }));
		}

		expect(tasks()).toHaveLength(3);
		expect(executions.map(calledBack)).toEqual([
			[true, true, true],
			[false, false, false],
		]);
	});

	it('says before anything is paid that it is called back, and by nobody else', async () => {
		const options = { callback_url: 'https://example.com/hook' };
		const refused = await run(menu, { ...parameters, options }, { onError: undefined });

		expect(refused.nodeError(NODE)?.message).toBe(
			'Callback URL and Suspend Execution Until Done exclude each other. Remove one of them',
		);
		expect(gateway.posts()).toEqual([]);
	});

	describe('in a sub-workflow, which n8n cannot suspend for each item', () => {
		const WORDS = /^Wait is Until Done here: n8n loses results/;
		let logged: { line: string; posts: number }[];
		beforeEach(() => {
			gateway.sandbox.settings.taskMs = 50;
			logged = [];
			// Executions that earlier tests have suspended may log, too.
			const warn = (line: string) =>
				line.includes(' here: ') && logged.push({ line, posts: gateway.posts().length });
			jest.spyOn(Container.get(Logger), 'warn').mockImplementation(warn);
		});
		afterEach(() => {
			gateway.sandbox.settings.taskMs = Infinity;
			jest.restoreAllMocks();
		});

		it('waits in the node, says so before anything is paid, and gives each result', async () => {
			const ended = await runCalled(menu, { ...parameters, options: { output: 'links' } });

			expect(ended.status).toBe('success');
			expect(ended.json(NODE).map((item) => (item as { status: string }).status)).toEqual(
				Array(3).fill('completed'),
			);
			expect(logged).toEqual([
				{ line: expect.stringContaining('Wait is Until Done here'), posts: 0 },
			]);
			expect(ended.hints(NODE).map(({ message }) => message)).toContainEqual(
				expect.stringMatching(WORDS),
			);
		});

		it('says so beside the price', async () => {
			const checked = await runCalled(menu, { ...parameters, options: { dryRun: true } });

			expect(checked.hints(NODE).map(({ message }) => message)).toContainEqual(
				expect.stringMatching(WORDS),
			);
			expect(gateway.posts()).toEqual([]);
		});
	});
});
