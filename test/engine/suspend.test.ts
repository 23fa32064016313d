import type { IDataObject } from 'n8n-workflow';
import {
	callWaiting,
	itemsNode,
	linear,
	resumeAfterWait,
	runWorkflow,
	type EngineOptions,
	type EngineRun,
} from '../../scripts/engine';
import { RESUME_PATH } from '../../nodes/GenerationGateway/suspend/resumeLink';
import { SuspendedExecution } from '../../nodes/GenerationGateway/suspend/suspendedExecution';
import { systemClock } from '../../nodes/n8n/systemClock';
import { onFastClock } from '../support/fastClock';
import { toPublicUrl } from '../support/publicHost';
import { delay } from '../support/useSandbox';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { useInstance } from '../support/useInstance';

const gateway = useGateway({
	taskMs: Infinity,
	callbackRetry: { attempts: 6, delayMs: 60, timeoutMs: 5_000 },
});
const AFTER = 'After';
const instance = useInstance();
afterEach(() => jest.restoreAllMocks());

const rows = (count: number) => Array.from({ length: count }, (_, row) => ({ row }));

/** Submits a task for each item, and waits for the callbacks of all. */
const workflow = (items: IDataObject[], options: IDataObject = {}) =>
	linear(
		itemsNode(items),
		gatewayNode(
			'task:submit',
			{
				model: modelId('imgn-4.0'),
				parameters: '={{ { prompt: "row " + $json.row } }}',
				options: { callbackExecution: true },
			},
			{ name: 'Submit' },
		),
		gatewayNode('task:await', { taskId: '={{ $json.task_id }}', waitBy: 'suspend', options }),
		{ type: 'n8n-nodes-base.noOp', name: AFTER },
	);
const start = async (count: number, options: IDataObject = {}, engine: EngineOptions = {}) =>
	await instance.run(workflow(rows(count), options), { ...gateway.options(), ...engine });

const tasks = () => gateway.sandbox.tasks();
const promptOf = (run: EngineRun) =>
	run
		.json(AFTER)
		.map(({ task_id }) => tasks().find((task) => task.task_id === task_id)?.body.prompt);
const prompts = (count: number) => rows(count).map(({ row }) => `row ${row}`);
const shuffled = <T>(list: T[]): T[] =>
	list
		.map((element, at) => ({ element, order: (at * 7) % list.length }))
		.sort((a, b) => a.order - b.order)
		.map(({ element }) => element);

describe('a suspended execution', () => {
	it('resumes once, after the last of twenty tasks, with the items in their own order', async () => {
		const suspended = await start(20);
		expect(suspended.status).toBe('waiting');
		expect(
			tasks().every(({ body }) =>
				String(body.callback_url).startsWith(
					`${instance.baseUrl}/webhook-waiting/${suspended.executionId}/${RESUME_PATH}?signature=`,
				),
			),
		).toBe(true);

		const order = shuffled(tasks());
		await Promise.all(
			order.map(
				async ({ task_id }, at) =>
					await gateway.sandbox.finish(task_id, at === 4 ? 'failed' : 'completed'),
			),
		);
		const run = await instance.waitForEnd(suspended.executionId);

		expect(run.executionId).toBe(suspended.executionId);
		expect(run.status).toBe('success');
		expect(run.executed.filter((name) => name === AFTER)).toHaveLength(1);
		expect(promptOf(run)).toEqual(prompts(20));
		expect(run.items(NODE).map(({ pairedItem }) => pairedItem)).toEqual(
			rows(20).map(({ row }) => ({ item: row })),
		);
		const failed = order[4]!.task_id;
		for (const { task_id, status, cost } of run.json(AFTER))
			expect([status, cost]).toEqual(task_id === failed ? ['failed', 0] : ['completed', 21250]);
		expect(new Set(run.json(NODE).map(({ task_id }) => task_id)).size).toBe(20);
	});

	it.each(['continueErrorOutput', 'continueRegularOutput', 'stopWorkflow'] as const)(
		'resumes, and loses nothing at the timeout, with On Error: %s',
		async (onError) => {
			const withError = () => {
				const json = workflow(rows(2));
				json.nodes.find(({ name }) => name === NODE)!.onError = onError;
				return json;
			};
			const suspended = await instance.run(withError(), gateway.options());
			for (const { task_id } of tasks()) await gateway.sandbox.finish(task_id);
			expect(promptOf(await instance.waitForEnd(suspended.executionId))).toEqual(prompts(2));

			gateway.sandbox.reset();
			gateway.sandbox.settings.taskMs = Infinity;
			expect(
				promptOf(await resumeAfterWait(await instance.run(withError(), gateway.options()))),
			).toEqual(prompts(2));
		},
	);

	it.each([
		['={{ $json.nope }}', 'Max Suspension (Hours) must be a number, but is undefined'],
		['={{ "24h" }}', 'must be a number, but is the text "24h"'],
		['={{ 1e300 }}', 'must be 0.001 to 8760'],
		['={{ 0 }}', 'must be 0.001 to 8760'],
	])('is not suspended without an end: %s hours', async (suspendHours, words) => {
		const json = workflow(rows(1));
		json.nodes.find(({ name }) => name === NODE)!.parameters.suspendHours = suspendHours;
		const run = await instance.run(json, gateway.options());

		expect(run.status).toBe('error');
		expect(run.nodeError(NODE)?.message).toContain(words);
	});

	it('is not suspended for tasks that have ended already', async () => {
		gateway.sandbox.settings.taskMs = 0;
		const run = await start(2);

		expect(run.status).toBe('success');
		expect(run.json(AFTER).map(({ status }) => status)).toEqual(['completed', 'completed']);
	});

	it('waits only for those that have not, and downloads their files', async () => {
		gateway.sandbox.settings.taskMs = (body) => (body.prompt === 'row 0' ? 0 : Infinity);
		const suspended = await start(2, { download: 'data' });
		await gateway.sandbox.finish(tasks()[1]!.task_id);
		const run = await instance.waitForEnd(suspended.executionId);

		expect(promptOf(run)).toEqual(prompts(2));
		for (const item of run.items(AFTER))
			expect((await run.binary(item)).length).toBeGreaterThan(100);
		expect(gateway.sandbox.leaks).toEqual([]);
		expect(gateway.sandbox.downloads).toHaveLength(2);
	});

	it("gives the gateway's own objects where Simplify is off", async () => {
		const suspended = await start(1, { simplify: false });
		await gateway.sandbox.finish(tasks()[0]!.task_id);

		expect((await instance.waitForEnd(suspended.executionId)).json(AFTER)).toEqual([
			expect.objectContaining({ billing_status: 'settled', progress: '100%' }),
		]);
	});

	it('outputs the last known states when callbacks are lost and the time is up', async () => {
		const lost = ['row 1', 'row 3', 'row 4'];
		gateway.sandbox.settings.callbacks = (body) =>
			lost.includes(String(body.prompt)) ? 'lost' : 'normal';
		const suspended = await start(6);
		for (const { task_id } of tasks().filter(({ body }) => !lost.includes(String(body.prompt))))
			await gateway.sandbox.finish(task_id);
		const run = await resumeAfterWait(suspended);

		expect(run.status).toBe('success');
		expect(promptOf(run)).toEqual(prompts(6));
		for (const { status } of run.json(AFTER)) expect(status).toBe('queued');
	});

	it('polls a last time some minutes before the time is up, and goes on with what it finds', async () => {
		gateway.sandbox.settings.callbacks = 'lost';
		const suspended = await start(2);
		const [ended, running] = tasks();
		await gateway.sandbox.finish(ended!.task_id);
		const { now } = Date;
		const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 11.97 * 3_600_000);
		const { status } = await fetch(String(running!.body.callback_url), { method: 'POST' });
		const run = await instance.waitForEnd(suspended.executionId);
		later.mockRestore();

		expect(status).toBe(200);
		expect(promptOf(run)).toEqual(prompts(2));
		expect(run.json(AFTER)).toEqual([
			expect.objectContaining({ status: 'completed', urls: [expect.any(String)] }),
			expect.objectContaining({ status: 'processing', checked_at: expect.stringMatching(/Z$/) }),
		]);
	});

	it('is resumed no more when the timer of n8n may be set, which would end the next wait', async () => {
		const suspended = await start(1);
		const { waitTill } = suspended.run;
		expect(waitTill!.getTime() - Date.now()).toBeGreaterThan(12 * 3_600_000 + 70_000);
		const { now } = Date;
		const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 12 * 3_600_000);
		await gateway.sandbox.finish(tasks()[0]!.task_id);
		later.mockRestore();

		expect((await instance.latest(suspended.executionId)).status).toBe('waiting');
	});

	it('finds tasks whose callbacks were lost when any other callback comes', async () => {
		gateway.sandbox.settings.callbacks = (body) => (body.prompt === 'row 2' ? 'normal' : 'lost');
		const suspended = await start(3);
		for (const { task_id } of tasks()) await gateway.sandbox.finish(task_id);

		expect(
			(await instance.waitForEnd(suspended.executionId)).json(AFTER).map(({ status }) => status),
		).toEqual(['completed', 'completed', 'completed']);
	});
});

it('resumes with a later callback when n8n, recovering it after a crash, refused to resume it', async () => {
	const suspended = await runWorkflow(workflow(rows(2)), gateway.options());
	gateway.sandbox.settings.callbacks = 'lost';
	for (const { task_id } of tasks()) await gateway.sandbox.finish(task_id);
	// What a new process knows.
	SuspendedExecution['known'].clear();
	const request = { suffix: RESUME_PATH };
	const refused = await callWaiting(suspended, request, () => false);
	const meanwhile = await callWaiting(suspended, request);
	const { now } = systemClock;
	jest.spyOn(systemClock, 'now').mockImplementation(() => now() + 60_000);
	const { run } = await callWaiting(suspended, request);
	jest.restoreAllMocks();

	// Callers need not come again: the node asks n8n by itself whether the execution has gone on.
	expect([refused.response.status, meanwhile.response.status]).toEqual([200, 200]);
	expect(run?.json(AFTER).map(({ status }) => status)).toEqual(['completed', 'completed']);
});

it('resumes once, also when a repeated callback comes during long downloads', async () => {
	const suspended = await start(1, { download: 'data' });
	gateway.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'slow-body', bodyMs: 2_000 });
	const [task] = tasks();
	const link = String(task!.body.callback_url);
	const finished = gateway.sandbox.finish(task!.task_id);
	while (!gateway.sandbox.downloads.length) await new Promise((done) => setTimeout(done, 20));
	const now = Date.now;
	const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 90_000);
	const repeat = await fetch(link, { method: 'POST' });
	later.mockRestore();
	await finished;
	const run = await instance.waitForEnd(suspended.executionId);

	expect(repeat.status).toBe(503);
	expect(run.executed.filter((name) => name === AFTER)).toHaveLength(1);
	expect(gateway.sandbox.downloads).toHaveLength(1);
});

it('goes on with the links of files that take longer than five minutes', async () => {
	const suspended = await start(1, { download: 'data' });
	gateway.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'slow-body', bodyMs: 5_000 });
	const { after } = systemClock;
	let endFiveMinutes = () => {};
	jest.spyOn(systemClock, 'after').mockImplementation((ms, callback, options) => {
		if (ms === 300_000) endFiveMinutes = callback;
		return after(ms, callback, options);
	});
	const finished = gateway.sandbox.finish(tasks()[0]!.task_id);
	while (!gateway.sandbox.downloads.length) await delay(20);
	endFiveMinutes();
	await finished;
	const run = await instance.waitForEnd(suspended.executionId);

	expect(run.json(AFTER)).toMatchObject([{ status: 'completed', urls: [expect.any(String)] }]);
	expect(run.items(AFTER)[0]).not.toHaveProperty('binary');
});

describe('a call to the resume link', () => {
	it('that only claims that a task has ended changes nothing', async () => {
		const suspended = await start(2);
		const [first] = tasks();
		const post = async (url: string) =>
			(
				await fetch(url, {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify({ task_id: first!.task_id, status: 'completed' }),
				})
			).status;
		const link = String(first!.body.callback_url);

		expect(await post(link)).toBe(200);
		expect(await post(link.replace(/signature=[^&]+/, 'signature=forged'))).toBe(401);
		await gateway.sandbox.finish(first!.task_id);
		expect(gateway.sandbox.tasks()[1]!.status).not.toBe('completed');
		await gateway.sandbox.finish(tasks()[1]!.task_id);
		expect((await instance.waitForEnd(suspended.executionId)).json(AFTER)).toHaveLength(2);
	});

	it('gets a 503, so that the sender repeats it, when the gateway cannot be reached', async () => {
		const suspended = await start(1);
		gateway.sandbox.faults.add({
			match: { method: 'GET', path: `/v1/tasks/${tasks()[0]!.task_id}` },
			times: 2,
			kind: { status: 503 },
		});
		await gateway.sandbox.finish(tasks()[0]!.task_id);

		expect((await instance.waitForEnd(suspended.executionId)).json(AFTER)).toEqual([
			expect.objectContaining({ status: 'completed' }),
		]);
		expect(tasks()[0]!.deliveries.map(({ status }) => status)).toEqual([503, 200]);
	});

	it('of a run that another process began is answered all the same', async () => {
		const suspended = await runWorkflow(workflow(rows(2)), gateway.options());
		gateway.sandbox.settings.callbacks = 'lost';
		for (const { task_id } of tasks()) await gateway.sandbox.finish(task_id);
		const { run } = await callWaiting(suspended, { suffix: RESUME_PATH });

		expect(run?.json(AFTER).map(({ status }) => status)).toEqual(['completed', 'completed']);
	});
});

describe('an execution of many tasks', () => {
	it(
		'is called back for the last 25, and goes on when the others have ended later',
		onFastClock(async () => {
			const suspended = await start(30);
			const isCalled = tasks().map(({ body }) => 'callback_url' in body);
			const order = prompts(30);
			const called = tasks()
				.filter((_task, at) => isCalled[at])
				.map(({ body }) => String(body.prompt));
			expect(called.sort()).toEqual(order.slice(5).sort());

			for (const { task_id, body } of [...tasks()].reverse())
				if ('callback_url' in body) await gateway.sandbox.finish(task_id);
			expect((await instance.latest(suspended.executionId)).status).toBe('waiting');
			for (const { task_id } of tasks()) await gateway.sandbox.finish(task_id);

			expect(promptOf(await instance.waitForEnd(suspended.executionId))).toEqual(order);
		}),
	);
});

it('is checked on by the process that a callback reaches, also where another one has suspended it', async () => {
	const suspended = await runWorkflow(workflow(rows(2)), gateway.options());
	const { executionId } = suspended;
	SuspendedExecution.of(executionId).setChecks(undefined);
	await callWaiting(suspended, { suffix: RESUME_PATH });

	expect(SuspendedExecution.of(executionId).isChecked).toBe(true);
});

describe('an n8n that the gateway could not call', () => {
	it('is refused before it is suspended, with the paid task', async () => {
		const { data } = await gateway.submit({ model: 'imgn-4.0', prompt: 'a kite' });
		const baseUrl = toPublicUrl(gateway.sandbox.url);
		const run = await gateway.run(
			'task:await',
			{ taskId: data.task_id, waitBy: 'suspend' },
			{
				engine: { credentials: { generationGatewayApi: { baseUrl, apiKey: gateway.sandbox.key } } },
			},
		);

		expect(run.status).toBe('error');
		expect(run.nodeError(NODE)).toMatchObject({
			message: 'The gateway cannot reach this n8n at localhost:5678',
			description: 'Set WEBHOOK_URL to the public address of n8n.',
			context: { details: { task_id: data.task_id, status: 'queued' } },
		});
		// The task runs, and will be paid.
		expect(run.nodeError(NODE)?.context.details).not.toHaveProperty('billed');
	});
});
