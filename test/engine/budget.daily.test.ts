import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { callTrigger, itemsNode, linear, runWorkflow, type NodeSpec } from '../../scripts/engine';
import { TOOL_CALLER_TYPE } from '../../scripts/engine/harnessNodes';
import { typeOf } from '../../scripts/package';
import { onFastClock } from '../support/fastClock';
import { modelId, NODE, useGateway, type Menu } from '../support/gateway';
import { restartProcess } from '../support/restartProcess';
import { json, useStubGateway } from '../support/stubGateway';
import { until } from '../support/useSandbox';

const fixture = useGateway();
const stub = useStubGateway();
/** 0.0425 USD. */
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
/** No stated price. */
const bird = { model: modelId('flx-2-pro'), prompt: 'a heron' };
const ONE = { maximumDailyCost: 0.06 };
const TWO = { maximumDailyCost: 0.09 };
const REFUSAL =
	'The task is estimated at $0.0425 on top of $0.0425 spent or planned today (UTC), but Cost Limit per Day is $0.06';

/** Runs the node in an execution of its own; gives its error. */
async function execute(parameters: IDataObject, menu: Menu = 'image:generate') {
	return (await fixture.run(menu, parameters)).error?.message;
}
const makeImage = async (options: IDataObject, more: IDataObject = {}) =>
	await execute({ ...kite, options, ...more });

afterEach(() => jest.restoreAllMocks());

it('counts the tasks of all executions of an account', async () => {
	await makeImage({});

	expect(await makeImage(ONE)).toBe(REFUSAL);
	expect(await makeImage(TWO)).toBeUndefined();
	expect(fixture.sandbox.tasks()).toHaveLength(2);
});

it.each<[string, Menu, IDataObject]>([
	['Task > Submit', 'task:submit', { model: kite.model, parameters: { prompt: 'a kite' } }],
	['Video > Generate', 'video:generate', { model: modelId('clipk-v3'), prompt: 'waves' }],
])('holds for %s', async (_name, menu, parameters) => {
	await makeImage({});
	const options = { maximumDailyCost: 0.0425 };

	expect(await execute({ ...parameters, options }, menu)).toMatch(
		/Cost Limit per Day is \$0.0425$/,
	);
	expect(fixture.posts()).toHaveLength(1);
});

it('holds for the calls of the Model Tool, each in an execution of its own', async () => {
	const createCall = async (prompt: string) => {
		const tool: NodeSpec = {
			type: typeOf('generationGatewayModelTool'),
			name: 'Draw',
			credentials: 'generationGatewayApi',
			parameters: { model: kite.model, options: ONE } as never,
		};
		const caller: NodeSpec = {
			type: TOOL_CALLER_TYPE,
			name: 'Agent',
			parameters: { tool: 'Draw', arguments: { prompt } },
			subNodes: { ai_tool: [tool] },
		};
		const run = await runWorkflow(linear(itemsNode([{}]), caller), fixture.options());
		return run.json('Agent')[0];
	};

	expect(await createCall('a kite')).toMatchObject({ status: 'completed' });
	expect(await createCall('a heron')).toMatchObject({
		error: REFUSAL,
		details: { code: 'cost_limit_exceeded', billed: 0 },
	});
	expect(fixture.posts()).toHaveLength(1);
});

it('holds for executions that begin at the same moment', async () => {
	const problems = await Promise.all(Array.from({ length: 6 }, async () => await makeImage(TWO)));

	expect(problems.filter((problem) => problem === undefined)).toHaveLength(2);
	expect(fixture.sandbox.tasks()).toHaveLength(2);
});

it('counts the rows of one execution, too, and none that were not sent', async () => {
	const limited = { ...kite, options: TWO };
	const run = await fixture.run('image:generate', limited, { items: [{}, {}, {}] });

	expect(run.error?.message).toContain('on top of $0.085 spent or planned today (UTC)');
	expect(fixture.posts()).toEqual([]);
	expect(await makeImage(ONE)).toBeUndefined();
});

describe('gives the money back', () => {
	it('of a task that failed and was refunded', async () => {
		fixture.sandbox.settings.fail = () => 'too hot';
		expect(await makeImage(ONE)).toContain('too hot');
		fixture.sandbox.settings.fail = () => undefined;

		expect(await makeImage(ONE)).toBeUndefined();
	});

	it.each<[string, (taskId: string) => Promise<unknown>]>([
		['Task > Await', async (taskId) => await execute({ taskId }, 'task:await')],
		['Task > Get', async (taskId) => await execute({ taskId }, 'task:get')],
		[
			'the trigger',
			async (task_id) =>
				await callTrigger(
					linear({
						type: typeOf('generationGatewayTrigger'),
						name: 'Trigger',
						webhookId: 'hook',
						credentials: 'generationGatewayApi',
					}),
					{ body: { task_id } },
					fixture.options(),
				),
		],
	])('of a task that failed, heard of by %s', async (_name, read) => {
		fixture.sandbox.settings.taskMs = 300;
		fixture.sandbox.settings.fail = () => 'too hot';
		await makeImage(ONE, { wait: 'none' });
		fixture.sandbox.settings.fail = () => undefined;
		const [task] = fixture.sandbox.tasks();
		await until(() => fixture.sandbox.tasks()[0]!.status === 'failed');
		expect(await makeImage(ONE)).toBe(REFUSAL);
		await read(task!.task_id);

		expect(await makeImage(ONE)).toBeUndefined();
	});

	it('of a task that was cancelled elsewhere', async () => {
		fixture.sandbox.settings.taskMs = 5_000;
		await makeImage(ONE, { wait: 'none' });
		await execute({ taskId: fixture.sandbox.tasks()[0]!.task_id }, 'task:cancel');
		fixture.sandbox.settings.taskMs = 20;

		expect(await makeImage(ONE)).toBeUndefined();
	});

	it('of a request that the gateway refuses, and of a dry run', async () => {
		await makeImage({ ...ONE, dryRun: true });
		fixture.sandbox.faults.injection = ({ method }) =>
			method === 'POST' ? { kind: { status: 400 } } : undefined;
		expect(await makeImage(ONE)).toBeDefined();
		fixture.sandbox.faults.injection = undefined;

		expect(await makeImage(ONE)).toBeUndefined();
	});
});

it('counts a task once that several executions get by its key', async () => {
	const reused = { ...ONE, ifAlreadyMade: 'reuse' };
	await makeImage(reused);

	expect(await Promise.all([makeImage(reused), makeImage(reused)])).toEqual([undefined, undefined]);
	expect(fixture.sandbox.tasks()).toHaveLength(1);
	expect(await makeImage(TWO)).toBeUndefined();
	expect(await makeImage(TWO)).toContain('Cost Limit per Day');
});

it('counts the second task of a key once, also when the first one, which failed, is read again', async () => {
	const makeRow = async () => await makeImage({ ...ONE, idempotencyKey: 'row-1' });
	fixture.sandbox.settings.fail = () => 'too hot';
	await makeRow();
	fixture.sandbox.settings.fail = () => undefined;
	const [failed] = fixture.sandbox.tasks();
	await makeRow();
	await execute({ taskId: failed!.task_id }, 'task:get');

	expect(await makeRow()).toBeUndefined();
	expect(fixture.sandbox.tasks()).toHaveLength(2);
});

const { now } = Date;
const setClock = (hours: number, minutes: number) => {
	const ahead = new Date(now()).setUTCHours(hours, minutes) - now();
	jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
};

it('begins anew at midnight UTC', async () => {
	setClock(1, 0);
	await makeImage(ONE);
	setClock(23, 50);
	expect(await makeImage(ONE)).toBe(REFUSAL);
	setClock(24, 1);

	expect(await makeImage(ONE)).toBeUndefined();
});

it('leaves a task that runs over midnight to the limit of the day before', async () => {
	Object.assign(fixture.sandbox.settings, { taskMs: Infinity, maxWaitSeconds: 0 });
	setClock(23, 50);
	const options = { ...ONE, pollInterval: 1, output: 'links' };
	const late = fixture.run('image:generate', { ...kite, wait: 'poll', options });
	await until(() => fixture.sandbox.tasks().length === 1);
	setClock(24, 1);
	expect(await makeImage(ONE, { prompt: 'another kite', wait: 'none' })).toBeUndefined();
	const polls = () => fixture.sandbox.requests.filter(({ method }) => method === 'GET').length;
	const before = polls();
	await until(() => polls() >= before + 2);
	expect(polls()).toBeGreaterThanOrEqual(before + 2);
	await fixture.sandbox.finish(fixture.sandbox.tasks()[0]!.task_id);

	expect((await late).json(NODE)).toMatchObject([{ status: 'completed' }]);
});

it('forgets all when n8n restarts', async () => {
	await makeImage(ONE);
	expect(await makeImage(ONE)).toBe(REFUSAL);
	restartProcess();

	expect(await makeImage(ONE)).toBeUndefined();
});

it('lets tasks without a stated price go one after another, over executions', async () => {
	const limited = { ...bird, options: { maximumDailyCost: 0.03, unknownPrice: 'send' } };
	const runs = await Promise.all(
		[1, 2, 3].map(async () => await fixture.run('image:generate', limited)),
	);

	expect(runs.filter(({ error }) => error === undefined)).toHaveLength(1);
	expect(fixture.sandbox.tasks()).toHaveLength(1);
	expect(runs.flatMap(({ error }) => error?.message ?? [])[0]).toBe(
		'The task has no stated price, and $0.03 are spent today (UTC), but Cost Limit per Day is $0.03',
	);
	expect(runs.find(({ error }) => !error)!.json(NODE)).toHaveLength(1);
});

it(
	'waits for a task that is cancelled, since it holds too much, half a minute at most',
	onFastClock(async () => {
		fixture.sandbox.settings.taskMs = Infinity;
		fixture.sandbox.faults.add({ match: { path: /cancel$/ }, kind: 'hang', times: Infinity });
		const limited = { ...bird, options: { maximumDailyCost: 0.02, unknownPrice: 'send' } };
		const first = fixture.run('image:generate', limited);
		await until(() => fixture.sandbox.tasks().length > 0);
		const second = await fixture.run('image:generate', limited);

		expect(second.error?.message).toContain('$0.03 are spent today (UTC)');
		expect((await first).error?.message).toContain('The task could not be cancelled');
	}),
	// Without a limit on the cancellation it takes 43 s, with it 3 s.
	20_000,
);

it('stops a row at once that waits for the cost of the one before, and the next one goes on waiting', async () => {
	const limited = {
		...bird,
		options: { maximumDailyCost: 1, unknownPrice: 'send', output: 'links' },
	};
	let [made, hasEnded] = [0, false];
	// The gateway states no hold.
	stub.answer = (response, _body, { method, url }) => {
		if (method === 'POST' && url === '/v1/tasks') made += 1;
		const result = { images: [{ url: ['https://example.com/a.png'] }] };
		const end = { status: 'completed', cost: 1_000, result };
		const state = hasEnded ? end : { status: 'processing' };
		json(response, { task_id: `task_${made}`, model: 'flx-2-pro', ...state });
	};
	const user = new AbortController();
	const first = stub.run('image:generate', { ...limited, wait: 'poll' });
	await until(() => made > 0);
	const stopped = stub.run('image:generate', limited, { engine: { signal: user.signal } });
	const third = stub.run('image:generate', limited);
	await sleep(100);
	user.abort();
	setTimeout(() => (hasEnded = true), 3_000).unref();
	await stopped;
	expect(hasEnded).toBe(false);
	await sleep(100);

	const sent = () => stub.bodies.filter(({ model }) => model).length;
	const sentBefore = sent();
	hasEnded = true;
	expect([await first, await third].map(({ status }) => status)).toEqual(['success', 'success']);
	expect(sent()).toBe(sentBefore + 1);
});
