import { itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { modelsOf } from '../support/offeredFields';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';

const gateway = useGateway();
/** 0.0425 USD. */
const kite = { model: modelId('imgn-4.0'), prompt: '={{ $json.prompt ?? "a kite" }}' };
const goOn = { node: { onError: 'continueRegularOutput' as const } };
type Run = Awaited<ReturnType<typeof gateway.run>>;
const customData = ({ run }: Run): Record<string, string> => run.data.resultData.metadata ?? {};

describe('the custom data of an execution', () => {
	it('names the tasks, their models and what they cost, in USD', async () => {
		const run = await gateway.run('image:generate', kite, { items: [{}, {}] });

		expect(customData(run)).toEqual({
			gateway_execution: run.executionId,
			gateway_task_ids: gateway.sandbox
				.tasks()
				.map(({ task_id }) => task_id)
				.join(', '),
			gateway_models: 'imgn-4.0',
			gateway_cost_usd: '0.085',
		});
	});

	it('has the task of an item that failed, at no cost, and of a run that ends with its error', async () => {
		const run = await gateway.run('image:generate', kite, {
			items: [{}, { prompt: 'a kite [fail]' }],
		});

		expect(run.status).toBe('error');
		expect(customData(run).gateway_task_ids!.split(', ')).toHaveLength(2);
		expect(customData(run).gateway_cost_usd).toBe('0.0425');
	});

	it('has what a task holds when nobody waits for it', async () => {
		const run = await gateway.run('image:generate', { ...kite, wait: 'none' });
		expect(customData(run).gateway_cost_usd).toBe('0.0425');
	});

	it('counts a task once that a further try of the node meets again', async () => {
		const run = await gateway.run('image:generate', kite, {
			items: [{}, { prompt: 'a kite [fail]' }],
			node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		});

		expect(gateway.sandbox.tasks().map(({ status }) => status)).toEqual([
			'completed',
			'failed',
			'failed',
		]);
		expect(customData(run).gateway_cost_usd).toBe('0.0425');
	});

	it('leaves out a task that an execution long before has made', async () => {
		const keyed = { ...kite, options: { idempotencyKey: 'row 1' } };
		gateway.sandbox.settings.now = () => Date.now() - 60_000;
		await gateway.run('image:generate', keyed);
		gateway.sandbox.settings.now = Date.now;
		const run = await gateway.run('image:generate', keyed);
		expect(customData(run)).toEqual({ gateway_execution: run.executionId });
	});

	it('is empty where nothing was sent', async () => {
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { maximumCost: 0.01 } },
			goOn,
		);
		expect(customData(run)).toEqual({});
	});

	it('keeps as many whole IDs as n8n takes, and says how many more there are', async () => {
		const items = Array.from({ length: 60 }, () => ({}));
		const options = { output: 'links' };
		const run = await gateway.run('image:generate', { ...kite, options }, { items });
		const { gateway_task_ids: ids, gateway_cost_usd: usd } = customData(run);

		expect(ids!.length).toBeLessThanOrEqual(255);
		const made = gateway.sandbox.tasks().map(({ task_id }) => task_id);
		const [list, more] = ids!.split(' +');
		expect(list!.split(', ').filter((id) => !made.includes(id))).toEqual([]);
		expect(list!.split(', ').length + Number(more)).toBe(60);
		expect(usd).toBe('2.55');
	});

	it('counts a model once that had no room, whatever nodes follow', async () => {
		const models = [...modelsOf('image'), ...modelsOf('video')];
		const items = models.map((model) => ({ model }));
		const parameters = '{"prompt":"a kite"}';
		const submit = gatewayNode(
			'task:submit',
			{ model: modelId('={{ $json.model }}'), parameters },
			{ onError: 'continueRegularOutput' },
		);
		const again = { ...submit, name: 'Again' };
		const workflow = linear(itemsNode(items), submit, again);
		const run = await runWorkflow(workflow, gateway.options());

		const made = new Set(gateway.sandbox.tasks().map(({ model }) => model));
		const [list, more] = customData(run).gateway_models!.split(' +');
		expect(list!.split(', ').length + Number(more)).toBe(made.size);
	});

	it('adds up over the nodes of the workflow', async () => {
		const second = gatewayNode('image:generate', kite, { name: 'Second' });
		const workflow = linear(itemsNode([{}]), gatewayNode('image:generate', kite), second);
		const run = await runWorkflow(workflow, gateway.options());
		expect(customData(run).gateway_cost_usd).toBe('0.085');
	});
});

describe('the trace of a node', () => {
	const tracing = ({ run }: Run) => run.data.resultData.runData[NODE]?.[0]?.metadata?.tracing;

	it('has the tasks of the run, their models and what they cost, in USD', async () => {
		const run = await gateway.run('image:generate', kite, { items: [{}, {}] });

		const { 'gateway.task_ids': ids, ...rest } = tracing(run)!;
		// In the order of the answers, which two calls at once may change.
		expect(String(ids).split(', ').sort()).toEqual(
			gateway.sandbox
				.tasks()
				.map(({ task_id }) => task_id)
				.sort(),
		);
		expect(rest).toEqual({
			'gateway.tasks': 2,
			'gateway.models': 'imgn-4.0',
			'gateway.cost_usd': 0.085,
			'gen_ai.operation.name': 'generate_content',
			'gen_ai.request.model': 'imgn-4.0',
		});
	});

	it('has the model and the tokens of answers, by the names of OpenTelemetry', async () => {
		const run = await gateway.run(
			'text:chat',
			{ model: modelId('gp-5-mini'), messages: { entry: [{ text: 'Hello' }] } },
			{ items: [{}, {}] },
		);
		const usage = run.json(NODE).map((json) => json.usage as Record<string, number>);
		const total = (name: string) => usage.reduce((sum, of) => sum + of[name]!, 0);

		expect(tracing(run)).toEqual({
			'gen_ai.operation.name': 'chat',
			'gen_ai.request.model': 'gp-5-mini',
			'gen_ai.usage.input_tokens': total('input_tokens'),
			'gen_ai.usage.output_tokens': total('output_tokens'),
		});
		expect(total('output_tokens')).toBeGreaterThan(0);
	});

	it('has a task that failed, which costs nothing', async () => {
		const run = await gateway.run('image:generate', { ...kite, prompt: 'a kite [fail]' }, goOn);

		expect(tracing(run)).toMatchObject({ 'gateway.tasks': 1, 'gateway.cost_usd': 0 });
	});

	it('has a task at the node that has made it only, so that costs can be summed up', async () => {
		const submitted = await gateway.run('task:submit', {
			model: modelId('imgn-4.0'),
			parameters: { prompt: 'a kite' },
		});
		const awaited = await gateway.run(
			'task:await',
			{ taskId: '={{ $json.id }}' },
			{
				items: [{ id: String(submitted.json(NODE)[0]!.task_id) }],
			},
		);

		expect(tracing(submitted)).toMatchObject({ 'gateway.cost_usd': 0.0425 });
		expect(tracing(awaited)).toBeUndefined();
	});

	it('has nothing of ours where nothing was sent', async () => {
		const run = await gateway.run('image:generate', { ...kite, options: { dryRun: true } });

		expect(tracing(run)).toBeUndefined();
	});
});
