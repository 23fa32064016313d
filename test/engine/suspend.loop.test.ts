import type { IDataObject } from 'n8n-workflow';
import { asTool, itemsNode, linear, type EngineRun } from '../../scripts/engine';
import { TOOL_CALLER_TYPE } from '../../scripts/engine/harnessNodes';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { behindIf, loopOf } from '../support/loop';
import { restartProcess } from '../support/restartProcess';
import { until } from '../support/useSandbox';
import { useInstance } from '../support/useInstance';

const gateway = useGateway({
	taskMs: Infinity,
	callbackRetry: { attempts: 6, delayMs: 60, timeoutMs: 5_000 },
});
const instance = useInstance();
const tasks = () => gateway.sandbox.tasks();
beforeEach(restartProcess);

/** Lets its tasks end one after another, until the execution has ended. */
const finishAll = async (executionId: string) => {
	let isOver = false;
	const ended = instance.waitForEnd(executionId).finally(() => (isOver = true));
	const running = () => tasks().find(({ status }) => status === 'queued');
	while (!isOver) {
		await until(() => isOver || running() !== undefined);
		if (!isOver) await gateway.sandbox.finish(running()!.task_id, 'completed');
	}
	return await ended;
};

/** n8n hands a node the same context again, as it does to a Retry. */
describe('a loop that is suspended in between, and finds a task of an earlier pass', () => {
	const kite = (options: IDataObject) => ({
		model: modelId('imgn-4.0'),
		prompt: '={{ $json.prompt }}',
		wait: '={{ $json.wait }}',
		options: { output: 'links', maximumRunCost: 0.1, ...options },
	});

	it.each([{ idempotencyKey: '={{ $json.prompt }}' }, { ifAlreadyMade: 'reuse' }])(
		'counts it once: %j',
		async (options) => {
			const items = ['a', 'a', 'b'].map((prompt) => ({ prompt, wait: 'suspend' }));
			const { executionId } = await instance.run(loopOf(kite(options), items), gateway.options());
			const run = await finishAll(executionId);

			const states = items.map((_, pass) => run.items(NODE, 0, pass)[0]?.json.status);
			expect(states).toEqual(['completed', 'completed', 'completed']);
			expect(tasks()).toHaveLength(2);
		},
	);

	it('does not cancel it while it runs', async () => {
		const items = [
			{ prompt: 'a', wait: 'none' },
			{ prompt: 'b', wait: 'suspend' },
			{ prompt: 'a', wait: 'none' },
		];
		const parameters = kite({ idempotencyKey: '={{ $json.prompt }}' });
		const { executionId } = await instance.run(loopOf(parameters, items), gateway.options());
		await until(() => tasks().length === 2);
		const { task_id } = tasks().find(({ body }) => body.prompt === 'b')!;
		await gateway.sandbox.finish(task_id, 'completed');
		const run = await instance.waitForEnd(executionId);

		expect(run.items(NODE, 0, 2)[0]?.json).toMatchObject({ status: 'queued' });
		expect(tasks().map(({ status }) => status)).toEqual(['queued', 'completed']);
	});
});

/** The runs of a node wait in n8n's stack side by side, and share one node object. */
describe('a node that runs several times, each of which suspends the execution', () => {
	/** n8n runs the second output first. */
	const itemsOf = (run: EngineRun) =>
		[0, 1].flatMap((pass) => run.items(NODE, 0, pass).map(({ json }) => json));
	const rows = ['a', 'b'];

	it('makes the rows of both outputs of an If node', async () => {
		const kite = gatewayNode('image:generate', {
			model: modelId('imgn-4.0'),
			prompt: '={{ $json.prompt }}',
			wait: 'suspend',
			options: { output: 'links', includeInput: true },
		});
		const { executionId } = await instance.run(behindIf(kite, rows), gateway.options());
		const run = await finishAll(executionId);

		expect(itemsOf(run).map(({ prompt, status }) => [prompt, status])).toEqual([
			['b', 'completed'],
			['a', 'completed'],
		]);
		expect(tasks()).toHaveLength(2);
	});

	it('awaits the rows of both outputs of an If node', async () => {
		const parameters = { model: modelId('imgn-4.0'), prompt: 'a kite', wait: 'none' };
		const made = rows.map(async () => await gateway.run('image:generate', parameters));
		const ids = (await Promise.all(made)).map((run) => String(run.json(NODE)[0]!.task_id));
		const awaiting = gatewayNode('task:await', {
			taskId: '={{ $json.prompt }}',
			waitBy: 'suspend',
		});
		const { executionId } = await instance.run(behindIf(awaiting, ids), gateway.options());
		const run = await finishAll(executionId);

		const states = itemsOf(run).map(({ task_id, status }) => [task_id, status]);
		expect(states).toEqual(ids.map((id) => [id, 'completed']).reverse());
	});

	it('answers each of several calls of one turn of an agent', async () => {
		const tool = gatewayNode(
			'image:generate',
			{ model: modelId('imgn-4.0'), prompt: "={{ $fromAI('prompt') }}", wait: 'suspend' },
			{ name: 'Tool' },
		);
		const calls = rows.map((prompt) => ({ prompt }));
		const json = linear(itemsNode([{}]), {
			type: TOOL_CALLER_TYPE,
			name: 'Agent',
			parameters: { tool: 'Tool', arguments: calls as never },
			subNodes: { ai_tool: [asTool(tool)] },
		});
		const { executionId } = await instance.run(json, gateway.options());
		const run = await finishAll(executionId);

		const ids = tasks().map(({ task_id, body }) => [body.prompt, task_id]);
		expect(run.json('Agent').map(({ task_id, status }) => [task_id, status])).toEqual(
			rows.map((prompt) => [Object.fromEntries(ids)[prompt], 'completed']),
		);
	});
});
