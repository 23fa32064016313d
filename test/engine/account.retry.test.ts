import {
	executeAsTool,
	itemsNode,
	linear,
	retryExecution,
	runWorkflow,
	type EngineRun,
} from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { restartProcess } from '../support/restartProcess';

const gateway = useGateway();
/** 0.0425 USD, 21,250 quota. */
const kite = { model: modelId('imgn-4.0'), prompt: '={{ $json.prompt }}' };
const charged = () => gateway.sandbox.tasks().reduce((sum, { cost }) => sum + cost, 0);
const customData = ({ run }: EngineRun): Record<string, string> =>
	run.data.resultData.metadata ?? {};
/** What n8n stores of each row's task: what it counts for, the hash of its key, when that was sent, its ID. */
const storedBudget = ({ run }: EngineRun) => {
	const context = run.data.executionData?.contextData[`node:${NODE}`];
	return Object.values(context?.generationGatewayBudget ?? {}) as unknown[][];
};
beforeEach(restartProcess);

describe('Retry in the list of executions', () => {
	const rows = ['a', 'b', 'c', 'd', 'e', 'f [fail]'].map((prompt) => ({ prompt }));

	it.each([
		['in the same process', () => undefined],
		['in another process', restartProcess],
	])('makes and bills only what is missing, %s', async (_name, between) => {
		gateway.sandbox.settings.now = () => Date.now() - 60_000;
		const failed = await gateway.run('image:generate', kite, { items: rows });
		expect(failed.status).toBe('error');
		between();
		gateway.sandbox.settings.now = () => Date.now();
		const retried = await retryExecution(failed);

		expect(gateway.sandbox.tasks()).toHaveLength(7);
		expect(charged()).toBe(5 * 21_250);
		expect(retried.status).toBe('error');
	});

	it('finds what a Retry before it has made in place of a failed task, whatever the limit is now', async () => {
		gateway.sandbox.settings.now = () => Date.now() - 60_000;
		gateway.sandbox.settings.fail = ({ prompt }) => (prompt === 'a' ? 'too hot' : undefined);
		gateway.sandbox.faults.injection = ({ method, body }) =>
			method === 'POST' && (body as { prompt?: string }).prompt === 'b'
				? { kind: { status: 400 } }
				: undefined;
		const withLimit = (limit: number) => {
			const options = { maximumRunCost: `={{ $json.prompt === "a" ? ${limit} : 1 }}` };
			const items = itemsNode([{ prompt: 'a' }, { prompt: 'b' }]);
			return linear(items, gatewayNode('image:generate', { ...kite, options }));
		};
		const failed = await runWorkflow(withLimit(1), gateway.options());
		gateway.sandbox.settings.fail = () => undefined;
		const again = await retryExecution(failed);
		expect([failed.status, again.status]).toEqual(['error', 'error']);
		restartProcess();
		gateway.sandbox.settings.now = () => Date.now();
		gateway.sandbox.faults.injection = () => undefined;
		const retried = await retryExecution(again, withLimit(0.03));

		expect(retried.error?.message).toBeUndefined();
		expect(gateway.sandbox.tasks().map(({ status }) => status)).toEqual([
			'failed',
			...Array<string>(2).fill('completed'),
		]);
	});

	it('that is refused says that nothing was billed, where the task before has failed and was refunded', async () => {
		const failed = await gateway.run('image:generate', { ...kite, prompt: 'a [fail]' });
		restartProcess();
		gateway.sandbox.faults.add({ match: { method: 'POST' }, kind: { status: 402 } });
		const retried = await retryExecution(failed);

		const details = retried.nodeError(NODE)!.context.details as object;
		expect(details).toMatchObject({ code: 'insufficient_balance', billed: 0 });
		expect(details).not.toHaveProperty('task_id');
	});

	it('of texts alone puts nothing about tasks into the custom data', async () => {
		gateway.sandbox.faults.add({ match: { method: 'POST' }, kind: { status: 400 } });
		const messages = { entry: [{ role: 'user', text: 'Hello' }] };
		const failed = await gateway.run('text:chat', { model: modelId('gp-5-mini'), messages });
		const retried = await retryExecution(failed);

		expect([failed.status, retried.status]).toEqual(['error', 'success']);
		expect(customData(retried)).not.toHaveProperty('gateway_task_ids');
		expect(customData(retried)).not.toHaveProperty('gateway_cost_usd');
	});

	it('in another process knows every task that still runs', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		const items = Array.from({ length: 30 }, (_, row) => ({ prompt: `row ${row}` }));
		let hasFailed = false;
		gateway.sandbox.faults.injection = ({ method, body }) => {
			const isLast = method === 'POST' && (body as { prompt?: string }).prompt === 'row 29';
			return isLast && !hasFailed ? ((hasFailed = true), { kind: { status: 400 } }) : undefined;
		};
		const failed = await gateway.run('image:generate', { ...kite, wait: 'none' }, { items });
		expect(failed.status).toBe('error');
		restartProcess();
		const retried = await retryExecution(failed);

		expect(gateway.sandbox.tasks()).toHaveLength(30);
		expect(retried.json(NODE).filter(({ reused }) => reused)).toHaveLength(29);
		expect(customData(retried).gateway_cost_usd).toBe('0.0425');
	});

	it('with the workflow as it is now keeps what is the same, and its own record of what it has made', async () => {
		const failed = await gateway.run('image:generate', kite, { items: rows });
		const repaired = { ...kite, prompt: '={{ $json.prompt.replace(" [fail]", "") }}' };
		const workflow = linear(itemsNode(rows), gatewayNode('image:generate', repaired));
		const retried = await retryExecution(failed, workflow);

		expect(retried.status).toBe('success');
		expect(gateway.sandbox.tasks()).toHaveLength(7);
		expect(charged()).toBe(6 * 21_250);
		expect(retried.error?.message).toBeUndefined();
		expect(retried.json(NODE).map(({ reused }) => reused)).toEqual([
			...Array<boolean>(5).fill(true),
			undefined,
		]);
		expect(customData(failed).gateway_cost_usd).toBe('0.2125');
		expect(customData(retried)).toEqual({
			gateway_execution: `${failed.executionId}, ${retried.executionId}`,
			gateway_task_ids: gateway.sandbox.tasks().at(-1)!.task_id,
			gateway_models: 'imgn-4.0',
			gateway_cost_usd: '0.0425',
		});
	});

	it('keeps what its earlier nodes have made when another process goes on with it', async () => {
		gateway.sandbox.settings.quotaExhausted = true;
		const options = { output: 'links' };
		const workflow = linear(
			itemsNode([{ prompt: 'a' }]),
			gatewayNode('image:generate', { ...kite, options }, { name: 'First' }),
			gatewayNode('image:generate', { ...kite, prompt: 'b', options }, { name: 'Second' }),
		);
		const failed = await runWorkflow(workflow, gateway.options());
		gateway.sandbox.settings.quotaExhausted = false;
		gateway.sandbox.faults.injection = ({ body }) => {
			const isFirst = (body as { prompt?: string } | undefined)?.prompt === 'a';
			if (isFirst && !gateway.sandbox.tasks().length) restartProcess();
			return undefined;
		};
		const retried = await retryExecution(failed);

		const ids = gateway.sandbox.tasks().map(({ task_id }) => task_id);
		expect(ids).toHaveLength(2);
		expect(customData(retried)).toMatchObject({
			gateway_task_ids: ids.join(', '),
			gateway_cost_usd: '0.085',
		});
	});

	it('goes on to the next model when a task that has failed since cannot be made again', async () => {
		Object.assign(gateway.sandbox.settings, { taskMs: 300, now: () => Date.now() - 60_000 });
		gateway.sandbox.settings.fail = ({ prompt }) => (prompt === 'a' ? 'too hot' : undefined);
		const isOf = (wanted: string, body: unknown) =>
			(body as { prompt?: string } | undefined)?.prompt === wanted;
		gateway.sandbox.faults.injection = ({ method, body }) =>
			method === 'POST' && isOf('b', body) ? { kind: { status: 400 } } : undefined;
		const options = { fallbackModels: '={{ $json.prompt === "a" ? "qwn-image-2.0" : "" }}' };
		const parameters = { ...kite, wait: 'none', options };
		const items = [{ prompt: 'a' }, { prompt: 'b' }];
		const failed = await gateway.run('image:generate', parameters, { items });
		expect(failed.status).toBe('error');
		await new Promise((resolve) => setTimeout(resolve, 400));
		expect(gateway.sandbox.tasks().map(({ status }) => status)).toEqual(['failed']);

		restartProcess();
		Object.assign(gateway.sandbox.settings, { fail: () => undefined, now: () => Date.now() });
		const firstKey = gateway.posts()[0]!.headers['idempotency-key'];
		gateway.sandbox.faults.injection = ({ method, body, headers }) => {
			const isNextOfA = isOf('a', body) && (body as { model: string }).model === 'imgn-4.0';
			const isRefused = method === 'POST' && isNextOfA && headers['idempotency-key'] !== firstKey;
			return isRefused ? { kind: { status: 400 } } : undefined;
		};
		const retried = await retryExecution(failed);

		expect(retried.error?.message).toBeUndefined();
		expect(retried.json(NODE)).toMatchObject([
			{ model: 'qwn-image-2.0', fallback_from: 'imgn-4.0' },
			{ model: 'imgn-4.0' },
		]);
	});

	it('spends from the same limit', async () => {
		const limited = { ...kite, options: { maximumRunCost: 0.255 } };
		const failed = await gateway.run('image:generate', limited, { items: rows });
		const repaired = { ...limited, prompt: '={{ $json.prompt.replace(" [fail]", "") }}' };
		const workflow = linear(itemsNode(rows), gatewayNode('image:generate', repaired));
		const retried = await retryExecution(failed, workflow);

		expect(retried.status).toBe('success');
		expect(charged()).toBe(6 * 21_250);
	});
});

it('two nodes without an ID, as in JSON written by hand, make a task each', async () => {
	const { nodes, ...workflow } = linear(
		itemsNode([{ prompt: 'a' }]),
		gatewayNode('image:generate', { ...kite, wait: 'none', options: { includeInput: true } }),
		gatewayNode('image:generate', { ...kite, wait: 'none' }, { name: 'Second' }),
	);
	for (const node of nodes) delete (node as { id?: string }).id;
	await runWorkflow({ ...workflow, nodes }, gateway.options());

	expect(gateway.sandbox.tasks()).toHaveLength(2);
});

describe('a Retry of an execution that has found tasks of another one', () => {
	const shared = [{ prompt: 'a' }, { prompt: 'b' }];
	const items = [...shared, { prompt: 'c' }];
	const options = { idempotencyKey: '={{ $json.prompt }}', concurrency: 1 };
	/** For c alone. */
	const limited = { ...kite, options: { ...options, maximumRunCost: 0.1275 } };

	it.each([
		['in the same process', () => undefined],
		['in another process', restartProcess],
	])('leaves them out of its limit, %s', async (_name, between) => {
		gateway.sandbox.settings.now = () => Date.now() - 60_000;
		await gateway.run('image:generate', { ...kite, options }, { items: shared });
		gateway.sandbox.settings.fail = ({ prompt }) => (prompt === 'c' ? 'too hot' : undefined);
		const failed = await gateway.run('image:generate', limited, { items });
		Object.assign(gateway.sandbox.settings, { fail: () => undefined, now: () => Date.now() });
		expect(failed.error?.message).toContain('too hot');
		expect(storedBudget(failed)).toEqual([
			[0, expect.any(String), expect.any(Number), expect.any(String), true],
			[0, expect.any(String), expect.any(Number), expect.any(String), true],
		]);
		between();

		// With the workflow as it is now: three images of c.
		const additionalFields = { n: '={{ $json.prompt === "c" ? 3 : 1 }}' };
		const node = gatewayNode('image:generate', { ...limited, additionalFields });
		const retried = await retryExecution(failed, linear(itemsNode(items), node));

		expect(retried.error?.message).toBeUndefined();
		expect(retried.json(NODE).map(({ reused }) => reused)).toEqual([true, true, undefined]);
		expect(customData(retried).gateway_cost_usd).toBe('0.1275');
	});

	it('leaves them out also where a first Retry was refused before it found them', async () => {
		await gateway.run('image:generate', { ...kite, options }, { items: shared });
		gateway.sandbox.settings.fail = ({ prompt }) => (prompt === 'c' ? 'too hot' : undefined);
		const failed = await gateway.run('image:generate', limited, { items });
		gateway.sandbox.settings.fail = () => undefined;
		gateway.sandbox.faults.injection = ({ method }) =>
			method === 'POST' ? { kind: { status: 402 } } : undefined;
		const refused = await retryExecution(failed);
		gateway.sandbox.faults.injection = undefined;
		expect(refused.error?.message).toContain('balance');

		const additionalFields = { n: '={{ $json.prompt === "c" ? 3 : 1 }}' };
		const node = gatewayNode('image:generate', { ...limited, additionalFields });
		const retried = await retryExecution(refused, linear(itemsNode(items), node));
		expect(retried.error?.message).toBeUndefined();
	});
});

it('a tool with Retry On Fail keeps the task that a lost reply has made, whatever its expressions give', async () => {
	let sent = 0;
	gateway.sandbox.faults.injection = ({ method, path }) => {
		if (method !== 'POST' || path !== '/v1/tasks') return undefined;
		sent += 1;
		return sent === 1
			? { kind: 'reset-after' }
			: sent === 2
				? { kind: { status: 400 } }
				: undefined;
	};
	const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const random = { ...kite, prompt: '=kite {{ Math.random() }}' };
	await executeAsTool(gatewayNode('image:generate', random, retry), {}, gateway.options());
	gateway.sandbox.faults.injection = undefined;

	expect(gateway.sandbox.tasks()).toHaveLength(1);
});
