import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, resumeAfterWait, type EngineRun } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { delay, until } from '../support/useSandbox';
import { useInstance } from '../support/useInstance';

const fixture = useGateway({ taskMs: Infinity, callbacks: 'lost' });
const AFTER = 'After';
const instance = useInstance();

/** Waits until something is so, two seconds at most. */
async function waitUntil(isMet: () => boolean): Promise<void> {
	for (let tries = 0; tries < 200 && !isMet(); tries += 1) await delay(10);
}

const poll = { method: 'GET', path: /^\/v1\/tasks\// };
const tasks = () => fixture.sandbox.tasks();

/** Submits a task for each row, and suspends until all have ended. */
function workflow(rows: IDataObject[], options: IDataObject, node: IDataObject = {}, submit = {}) {
	return linear(
		itemsNode(rows),
		gatewayNode(
			'task:submit',
			{
				model: modelId('imgn-4.0'),
				parameters: '={{ { prompt: $json.prompt ?? "a kite" } }}',
				options: { callbackExecution: true, ...submit },
			},
			{ name: 'Submit' },
		),
		gatewayNode(
			'task:await',
			{ taskId: '={{ $json.task_id }}', waitBy: 'suspend', options },
			node as never,
		),
		{ type: 'n8n-nodes-base.noOp', name: AFTER },
	);
}

describe('a task that ends before its execution is suspended', () => {
	it('is seen right before, so that the execution is not suspended for it', async () => {
		const rows = [{ prompt: 'first' }, { prompt: 'second' }];
		// The first poll of one task is slow; meanwhile both end, and their callbacks find nobody.
		fixture.sandbox.faults.add({ match: poll, kind: 'slow-body', bodyMs: 400 });
		const running = instance.run(workflow(rows, {}), fixture.options());
		await waitUntil(() => fixture.sandbox.requests.filter((r) => r.method === 'GET').length > 1);
		for (const { task_id } of tasks()) await fixture.sandbox.finish(task_id);
		const run = await running;

		expect(run.status).toBe('success');
		expect(run.json(AFTER).map(({ status }) => status)).toEqual(['completed', 'completed']);
	});

	it('goes on by a call of the node itself when every callback is lost', async () => {
		const suspended = await instance.run(workflow([{}], {}), fixture.options());
		expect(suspended.status).toBe('waiting');
		await fixture.sandbox.finish(tasks()[0]!.task_id);
		const run = await instance.waitForEnd(suspended.executionId);

		expect(run.json(AFTER)).toEqual([expect.objectContaining({ status: 'completed' })]);
	});

	it('goes on also where an earlier execution had made the task with the same key', async () => {
		fixture.sandbox.settings.callbacks = 'normal';
		const keyed = { idempotencyKey: 'row-1' };
		const first = await instance.run(workflow([{}], {}, {}, keyed), fixture.options());
		const second = await instance.run(workflow([{}], {}, {}, keyed), fixture.options());
		expect([first.status, second.status]).toEqual(['waiting', 'waiting']);
		expect(tasks()).toHaveLength(1);
		await fixture.sandbox.finish(tasks()[0]!.task_id);
		const run = await instance.waitForEnd(second.executionId);

		expect(run.json(AFTER)).toEqual([expect.objectContaining({ status: 'completed' })]);
	});
});

describe('an item that is taken up after the suspension', () => {
	it('gets what it asked for itself: its binary field, its form', async () => {
		const rows = [{ prompt: 'one' }, { prompt: 'two' }];
		const options = {
			download: '={{ $("Submit").item.json.task_id ? "file_" + $itemIndex : "" }}',
			simplify: '={{ $itemIndex === 0 ? "true" : "false" }}',
		};
		const suspended = await instance.run(workflow(rows, options), fixture.options());
		for (const { task_id } of tasks()) await fixture.sandbox.finish(task_id);
		const run = await instance.waitForEnd(suspended.executionId);

		expect(run.items(AFTER).map(({ binary }) => Object.keys(binary ?? {}))).toEqual([
			['file_0'],
			['file_1'],
		]);
		expect(run.json(AFTER)[0]).toHaveProperty('urls');
		expect(run.json(AFTER)[1]).toHaveProperty('billing_status');
	});

	it.each([
		['continueErrorOutput', { code: 'task_failed' }],
		['stopWorkflow', undefined],
	])('leaves as On Error %s says when its task failed', async (onError, details) => {
		const suspended = await instance.run(workflow([{}], {}, { onError }), fixture.options());
		await fixture.sandbox.finish(tasks()[0]!.task_id, 'failed');
		const run = await instance.waitForEnd(suspended.executionId);

		if (details)
			expect(run.json(NODE, 1)).toEqual([
				expect.objectContaining({ details: expect.objectContaining(details) }),
			]);
		else expect(run.json(AFTER)).toEqual([expect.objectContaining({ status: 'failed' })]);
	});

	it('has its links before the suspension is over, however slow its file is', async () => {
		fixture.sandbox.settings.callbacks = 'normal';
		const SUSPENSION_S = 10;
		// No call of ours comes to n8n after the end, so it would go on with a task that runs.
		const bodyMs = 120_000;
		fixture.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'slow-body', bodyMs });
		const json = workflow([{}], { download: 'data' });
		json.nodes.find(({ name }) => name === NODE)!.parameters.suspendHours = SUSPENSION_S / 3_600;
		const suspended = await instance.run(json, fixture.options());
		let ended: EngineRun | undefined;
		void instance.waitForEnd(suspended.executionId).then((run) => (ended = run));
		void fixture.sandbox.finish(tasks()[0]!.task_id);
		await until(() => ended !== undefined);

		expect(ended?.json(AFTER)).toMatchObject([{ status: 'completed', urls: [expect.any(String)] }]);
		expect(ended!.items(AFTER)[0]).not.toHaveProperty('binary');
	});

	it('says as of when its state is, where the time ran out first', async () => {
		const suspended = await instance.run(workflow([{}], {}), fixture.options());
		const run = await resumeAfterWait(suspended);

		expect(run.json(AFTER)).toEqual([
			expect.objectContaining({ status: 'queued', checked_at: expect.stringMatching(/Z$/) }),
		]);
	});
});

describe('stopping a run while its submissions are under way', () => {
	it('cancels their tasks too', async () => {
		const user = new AbortController();
		const submission = { method: 'POST', path: '/v1/tasks' };
		fixture.sandbox.faults.add({ match: submission, times: 3, hangMs: 500, kind: 'hang' });
		const items = ['one', 'two', 'three'].map((prompt) => ({ prompt }));
		const running = fixture.run(
			'image:generate',
			{
				model: modelId('imgn-4.0'),
				prompt: '={{ $json.prompt }}',
				wait: 'poll',
				options: { cancelOnStop: true },
			},
			{ items, engine: { signal: user.signal } },
		);
		await waitUntil(() => tasks().length === 3);
		user.abort();
		await running;
		await waitUntil(() => tasks().every(({ status }) => status === 'cancelled'));

		expect(tasks().map(({ status }) => status)).toEqual(Array(3).fill('cancelled'));
	});
});
