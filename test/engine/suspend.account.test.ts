import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, type EngineRun } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { loopOf } from '../support/loop';
import { leaveProcess, restartProcess } from '../support/restartProcess';
import { until } from '../support/useSandbox';
import { useInstance } from '../support/useInstance';

const gateway = useGateway({
	taskMs: Infinity,
	callbackRetry: { attempts: 6, delayMs: 60, timeoutMs: 5_000 },
});
const instance = useInstance();
beforeEach(restartProcess);

/** 0.0425 USD. */
const kite = {
	model: modelId('imgn-4.0'),
	prompt: '={{ $json.prompt ?? "a kite" }}',
	wait: 'suspend',
};
const goOn = { onError: 'continueRegularOutput' as const };
const tasks = () => gateway.sandbox.tasks();
const isRunning = ({ status }: { status: string }) => status === 'queued';
const codeOf = (json: IDataObject | undefined) =>
	(json?.details as IDataObject | undefined)?.code ?? json?.status;

/** Ends each task of an execution as it comes; gives the execution at its end. */
async function endTasks({ executionId }: EngineRun, outcome: 'completed' | 'failed') {
	let isOver = false;
	const ended = instance.waitForEnd(executionId).finally(() => (isOver = true));
	while (!isOver) {
		await until(() => isOver || tasks().some(isRunning));
		const running = tasks().find(isRunning);
		if (!running) break;
		await gateway.sandbox.finish(running.task_id, outcome);
	}
	return await ended;
}

const jsonOf = (run: EngineRun, pass: number) => run.items(NODE, 0, pass)[0]?.json;

/** Another worker ends the first task; the execution goes on there until it is suspended for the second one. */
async function goOnElsewhere({ executionId }: EngineRun) {
	const takeOver = leaveProcess();
	await gateway.sandbox.finish(tasks()[0]!.task_id);
	await until(() => tasks().length === 2);
	await instance.latest(executionId);
	takeOver();
}

describe('the limit of an execution that is suspended in a loop', () => {
	const rows = ['a', 'b', 'c'].map((prompt) => ({ prompt }));
	const suspend = async (options: IDataObject, items = rows) =>
		await instance.run(
			loopOf({ ...kite, options: { output: 'links', ...options } }, items),
			gateway.options(),
		);
	const codes = (run: EngineRun, items = rows) => items.map((_, pass) => codeOf(jsonOf(run, pass)));

	it('does not count the hold of a task that has failed', async () => {
		const suspended = await suspend({ maximumRunCost: 0.06 });

		expect(codes(await endTasks(suspended, 'failed'))).toEqual(Array(3).fill('task_failed'));
	});

	it('counts what a task has cost, which may be more than it held', async () => {
		gateway.sandbox.settings.settle = (held) => held * 3;
		const suspended = await suspend({ maximumRunCost: 0.13 });

		expect(codes(await endTasks(suspended, 'completed'))).toEqual([
			'completed',
			...Array<string>(2).fill('cost_limit_exceeded'),
		]);
		expect(tasks()).toHaveLength(1);
	});

	it('checks the limit of a pass that makes a task in place of one that has failed', async () => {
		const items = ['a', 'a'].map((prompt) => ({ prompt }));
		const maximumRunCost = '={{ $runIndex ? 0.03 : 1 }}';
		const suspended = await suspend({ idempotencyKey: 'row', maximumRunCost }, items);

		expect(codes(await endTasks(suspended, 'failed'), items)).toEqual([
			'task_failed',
			'cost_limit_exceeded',
		]);
		expect(tasks()).toHaveLength(1);
	});

	it('counts a task of its own that a later pass finds in another process', async () => {
		const items = ['a', 'a', 'b'].map((prompt) => ({ prompt }));
		const suspended = await suspend({ maximumRunCost: 0.06, ifAlreadyMade: 'reuse' }, items);
		restartProcess();

		expect(codes(await endTasks(suspended, 'completed'))).toEqual([
			...Array<string>(2).fill('completed'),
			'cost_limit_exceeded',
		]);
		expect(tasks()).toHaveLength(1);
	});

	it('counts a task of its own that another execution has found at its end, in another process', async () => {
		const suspended = await suspend({
			maximumRunCost: 0.06,
			idempotencyKey: '={{ $json.prompt }}',
		});
		restartProcess();
		gateway.sandbox.settings.callbacks = 'lost';
		const options = { output: 'links', idempotencyKey: 'a' };
		await gateway.sandbox.finish(tasks()[0]!.task_id);
		const found = await gateway.run('image:generate', { ...kite, prompt: 'a', options });
		expect(found.json(NODE)).toMatchObject([{ status: 'completed', reused: true }]);
		await fetch(String(tasks()[0]!.body.callback_url), { method: 'POST' });

		expect(codes(await endTasks(suspended, 'completed'))).toEqual([
			'completed',
			...Array<string>(2).fill('cost_limit_exceeded'),
		]);
	});

	it('counts what a task has cost on another worker, and not the hold that this one remembers', async () => {
		gateway.sandbox.settings.settle = (held) => held * 3;
		const items = ['a', 'a', 'b', 'c'].map((prompt) => ({ prompt }));
		const options = { maximumRunCost: 0.2, idempotencyKey: '={{ $json.prompt }}' };
		const suspended = await suspend(options, items);
		await goOnElsewhere(suspended);

		expect(codes(await endTasks(suspended, 'completed'), items)).toEqual([
			...Array<string>(3).fill('completed'),
			'cost_limit_exceeded',
		]);
	});
});

describe('the custom data of a suspended execution', () => {
	it('has all tasks, also after a time on another worker', async () => {
		const nodes = ['First', 'Second', 'Third'].map((name) =>
			gatewayNode(
				'image:generate',
				{ ...kite, prompt: name, options: { output: 'links' } },
				{ name },
			),
		);
		const suspended = await instance.run(linear(itemsNode([{}]), ...nodes), gateway.options());
		await goOnElsewhere(suspended);
		const { run } = await endTasks(suspended, 'completed');

		expect(run.data.resultData.metadata).toMatchObject({
			gateway_task_ids: tasks()
				.map(({ task_id }) => task_id)
				.join(', '),
			gateway_cost_usd: '0.1275',
		});
	});

	it('never counts a task that another execution has made, though a later pass of a loop finds it again', async () => {
		const options = { output: 'links', idempotencyKey: '={{ $json.prompt }}' };
		const found = { prompt: 'a', wait: 'none' };
		const items = [found, { prompt: 'b', wait: 'suspend' }, found];
		const keyed = { ...kite, wait: '={{ $json.wait }}', options };
		const node = gatewayNode('image:generate', keyed, { id: 'gateway' });
		await instance.run(linear(itemsNode([found]), node), gateway.options());
		restartProcess();
		const suspended = await instance.run(loopOf(keyed, items), gateway.options());
		restartProcess();
		await gateway.sandbox.finish(tasks()[1]!.task_id);
		const ended = await instance.waitForEnd(suspended.executionId);

		expect(items.map((_, pass) => jsonOf(ended, pass)?.reused)).toEqual([true, undefined, true]);
		expect(ended.run.data.resultData.metadata).toMatchObject({ gateway_cost_usd: '0.0425' });
	});
});

describe('a task that has failed while its execution was suspended', () => {
	it('is followed by a new one when its key is run again', async () => {
		const keyed = { ...kite, options: { output: 'links', idempotencyKey: 'row-7' } };
		const node = gatewayNode('image:generate', keyed, { ...goOn, id: 'same' });
		const ends = [];
		for (const outcome of ['failed', 'completed'] as const) {
			const suspended = await instance.run(linear(itemsNode([{}]), node), gateway.options());
			ends.push(codeOf((await endTasks(suspended, outcome)).items(NODE)[0]!.json));
		}

		expect(ends).toEqual(['task_failed', 'completed']);
		expect(tasks()).toHaveLength(2);
	});

	it('is recorded at no cost, as the next node of the execution shows', async () => {
		const first = gatewayNode('image:generate', kite, { name: 'First', ...goOn });
		const second = gatewayNode('image:generate', { ...kite, prompt: 'a heron', wait: 'none' });
		const suspended = await instance.run(linear(itemsNode([{}]), first, second), gateway.options());
		await gateway.sandbox.finish(tasks()[0]!.task_id, 'failed');
		const { run } = await instance.waitForEnd(suspended.executionId);

		// The hold of the second one.
		expect(run.data.resultData.metadata).toMatchObject({ gateway_cost_usd: '0.0425' });
	});
});
