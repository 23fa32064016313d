import { setTimeout as sleep } from 'node:timers/promises';
import { itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { runInLoop } from '../support/loop';
import { restartProcess } from '../support/restartProcess';
import { json, useStubGateway } from '../support/stubGateway';

const gateway = useGateway();
const stub = useStubGateway();
/** 0.0425 USD, 21,250 quota. */
const kite = { model: modelId('imgn-4.0'), prompt: '={{ $json.prompt ?? "a kite" }}' };
const goOn = { onError: 'continueRegularOutput' as const };
const submissions = { method: 'POST', path: '/v1/tasks' };
const charged = () => gateway.sandbox.tasks().reduce((sum, { cost }) => sum + cost, 0);
type Run = Awaited<ReturnType<typeof gateway.run>>;
const customData = ({ run }: Run): Record<string, string> => run.data.resultData.metadata ?? {};
let tests = 0;
beforeEach(() => void (tests += 1));
/** The quota of each row's task in the budget that n8n stores. */
const counted = ({ run }: Run) => {
	const context = run.data.executionData?.contextData[`node:${NODE}`];
	return Object.values((context?.generationGatewayBudget ?? {}) as Record<string, number[]>).map(
		([quota]) => quota,
	);
};
describe('a reply that was lost after a refusal', () => {
	const faults = () => {
		const { faults: plans } = gateway.sandbox;
		plans.add({ match: submissions, kind: { status: 429, retryAfter: '0.2' } });
		plans.add({ match: submissions, kind: 'reset-after' });
		plans.add({ match: submissions, times: 99, kind: { status: 429, retryAfter: '300' } });
	};

	it('is not hidden by the refusals around it: the item says that the task may exist', async () => {
		faults();
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { timeout: 3 } },
			{ node: goOn },
		);

		expect(gateway.sandbox.tasks()).toHaveLength(1);
		const [{ details }] = run.json<{ details: object }>(NODE) as [{ details: object }];
		expect(details).not.toHaveProperty('billed');
	});

	it('keeps another model from being paid as well, and its share of the budget', async () => {
		faults();
		const options = { timeout: 3, fallbackModels: 'qwn-image-2.0', maximumRunCost: 1 };
		const run = await gateway.run('image:generate', { ...kite, options }, { node: goOn });

		expect(gateway.sandbox.tasks().map(({ model }) => model)).toEqual(['imgn-4.0']);
		expect(counted(run)).toEqual([21_250]);
	});
});

describe('what a task is settled at', () => {
	it.each([
		['missing', undefined],
		['0', 0],
		['below 0', -1],
		['right at first', 6_641],
	])('counts in a loop, where the hold is %s', async (_name, held) => {
		let count = 0;
		stub.answer = (response, _body, { method }) => {
			const task_id =
				method === 'POST' ? `task_${tests}_${(count += 1)}` : `task_${tests}_${count}`;
			const result = { images: [{ url: ['https://example.com/a.png'] }] };
			const done = { task_id, status: 'completed', cost: 100_000, result };
			json(
				response,
				method === 'POST' ? { task_id, status: 'queued', pre_consumed_cost: held } : done,
			);
		};
		const cheap = { model: modelId('gmn-2.5-flash-image-preview'), prompt: 'a kite' };
		const options = { maximumRunCost: 0.3, output: 'links', timeout: 1 };
		const run = await runInLoop({ ...cheap, options }, 5, stub.options());

		expect(count).toBe(2);
		expect(customData(run).gateway_cost_usd).toBe('0.4');
	});

	it('counts for tasks without a price, which go one after another', async () => {
		const options = { maximumRunCost: 0.01, unknownPrice: 'send' };
		const legacy = { model: modelId('gp-4o-image'), prompt: 'a kite', options };
		const items = Array.from({ length: 6 }, (_, row) => ({ row }));
		const run = await gateway.run('image:generate', legacy, { items, node: goOn });

		expect(gateway.sandbox.tasks()).toHaveLength(1);
		expect(run.json(NODE).slice(1)).toEqual(
			Array.from({ length: 5 }, () =>
				expect.objectContaining({
					details: expect.objectContaining({ code: 'cost_limit_exceeded' }),
				}),
			),
		);
	});

	it('is not known of a task that nobody waits for, so the next one without a price is not sent', async () => {
		const options = { maximumRunCost: 0.01, unknownPrice: 'send' };
		const legacy = { model: modelId('gp-4o-image'), prompt: 'a kite', wait: 'none', options };
		const run = await gateway.run('image:generate', legacy, { items: [{}, {}], node: goOn });

		expect(gateway.sandbox.tasks()).toHaveLength(1);
		const id = gateway.sandbox.tasks()[0]!.task_id;
		expect(run.json(NODE)[1]?.error).toContain(`what ${id} costs is not known yet`);
	});

	it.each([
		['task:await', 'completed', '0.2'],
		['task:await', 'failed', '0'],
		['task:get', 'failed', '0'],
		['task:cancel', 'failed', '0'],
	] as const)('is known from a later %s of a task that has %s', async (menu, status, usd) => {
		gateway.sandbox.settings.settle = () => 100_000;
		const prompt = status === 'failed' ? 'a kite [fail]' : 'a kite';
		const submit = gatewayNode('image:generate', { ...kite, prompt, wait: 'none' });
		const delay = {
			type: 'n8n-nodes-base.wait',
			name: 'Wait',
			parameters: { amount: 0.1, unit: 'seconds' },
		};
		const read = { taskId: '={{ $json.task_id }}' };
		const later = gatewayNode(menu, read, { name: 'Later', ...goOn });
		const workflow = linear(itemsNode([{}]), submit, delay, later);
		const run = await runWorkflow(workflow, gateway.options());

		expect(gateway.sandbox.tasks().map((task) => task.status)).toEqual([status]);
		expect(customData(run).gateway_cost_usd).toBe(usd);
	});
});

describe('a hold above a limit', () => {
	const huge = { cost: 0, pre_consumed_cost: 5_000_000 };
	const limited = {
		...kite,
		options: { maximumCost: 0.05, output: 'links', pollInterval: 1, timeout: 1 },
	};
	const answer = (atFirst: object) => {
		const calls: string[] = [];
		stub.answer = (response, _body, { method, url = '', headers }) => {
			const isWaiting = headers.prefer !== undefined;
			calls.push(`${method} ${url}`);
			const task = { task_id: `task_hold_${tests}`, status: 'queued' };
			if (url.endsWith('/cancel')) json(response, { ...task, status: 'cancelled', cost: 0 });
			else json(response, { ...task, ...(method === 'POST' && !isWaiting ? atFirst : huge) });
		};
		return calls;
	};

	it.each([
		['in the reply to the submission', huge],
		['in a later reply for the first time', {}],
		['later, though it was small at first', { pre_consumed_cost: 10 }],
	])('ends the task at once: %s', async (_name, atFirst) => {
		const calls = answer(atFirst);
		const run = await stub.run('image:generate', limited, { node: goOn });

		expect(calls).toContain(`POST /v1/tasks/task_hold_${tests}/cancel`);
		expect(run.json(NODE)[0]).toMatchObject({
			details: { code: 'hold_above_limit', task_id: `task_hold_${tests}`, billed: 0 },
		});
	});

	it.each([
		['a minute behind', -60_000],
		['a minute ahead', 60_000],
		['an hour ahead', 3_600_000],
	])('is found whatever the clock of the gateway says: %s', async (_name, skewMs) => {
		const created_at = Math.floor((Date.now() + skewMs) / 1000);
		answer({ ...huge, created_at });
		const run = await stub.run('image:generate', limited, { node: goOn });

		expect(run.json(NODE)[0]).toMatchObject({ details: { code: 'hold_above_limit' } });
		expect(customData(run).gateway_task_ids).toBe(`task_hold_${tests}`);
	});
});

describe('Retry On Fail', () => {
	const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1, ...goOn };
	const rows = [{}, {}, { prompt: 'a kite [fail]' }];
	const stopping = { ...retry, onError: 'stopWorkflow' as const };

	it('keeps the task of a row whose expressions give something else each time', async () => {
		const seeded = { ...kite, prompt: '={{ $json.prompt ?? "a kite" }} {{ Math.random() }}' };
		await gateway.run('image:generate', seeded, { items: rows, node: stopping });

		expect(charged()).toBe(2 * 21_250);
		expect(gateway.sandbox.tasks().filter(({ status }) => status === 'failed')).toHaveLength(3);
	});

	it('stays within the limit of the execution', async () => {
		const options = { maximumRunCost: 0.1275 };
		const timed = {
			...kite,
			prompt: '={{ $json.prompt ?? "a kite" }} {{ $now }} {{ Math.random() }}',
			options,
		};
		const run = await gateway.run('image:generate', timed, { items: rows, node: stopping });

		expect(charged()).toBe(2 * 21_250);
		expect(counted(run)).toEqual([21_250, 21_250]);
	});
});

describe('a task that several executions ask for with one key', () => {
	it('is paid and recorded by one of them, and the others say that they reuse it', async () => {
		gateway.sandbox.settings.taskMs = 300;
		const keyed = { ...kite, options: { idempotencyKey: '产品-7' } };
		const runs = await Promise.all([1, 2, 3, 4].map(() => gateway.run('image:generate', keyed)));

		expect(gateway.sandbox.tasks()).toHaveLength(1);
		const costs = runs.flatMap((run) => customData(run).gateway_cost_usd ?? []);
		expect(costs).toEqual(['0.0425']);
		expect(runs.filter((run) => run.json(NODE)[0]?.reused === true)).toHaveLength(3);
	});

	describe.each([1, 2])('in another process, with %i rows', (rows) => {
		const items = Array.from({ length: rows }, () => ({}));

		it('is recorded by one of them', async () => {
			gateway.sandbox.settings.taskMs = Infinity;
			const keyed = {
				model: modelId('imgn-4.0'),
				parameters: { prompt: 'a kite' },
				options: { idempotencyKey: '产品-8' },
			};
			const first = await gateway.run('task:submit', keyed, { items });
			restartProcess();
			const second = await gateway.run('task:submit', keyed, { items });

			expect(gateway.sandbox.tasks()).toHaveLength(1);
			expect(first.json(NODE)[0]).not.toHaveProperty('reused');
			expect(second.json(NODE)).toEqual(
				items.map(() => expect.objectContaining({ reused: true }) as never),
			);
			expect(customData(first).gateway_cost_usd).toBe('0.0425');
			expect(customData(second)).not.toHaveProperty('gateway_cost_usd');
			expect(counted(second)).toEqual([0]);
		});

		it('is not cancelled by a stop', async () => {
			gateway.sandbox.settings.taskMs = Infinity;
			const options = { idempotencyKey: '产品-9' };
			const parameters = { prompt: 'a kite' };
			await gateway.run('task:submit', { model: modelId('imgn-4.0'), parameters, options });
			restartProcess();
			const user = new AbortController();
			const waiting = gateway.run(
				'image:generate',
				{ ...kite, wait: 'poll', options },
				{ items, engine: { signal: user.signal } },
			);
			const isPolled = () => gateway.sandbox.requests.some(({ headers }) => headers.prefer);
			while (!isPolled()) await sleep(10);
			user.abort();
			await waiting;
			await sleep(300);

			const statuses = gateway.sandbox.tasks().map(({ status }) => status);
			expect(statuses).toHaveLength(1);
			expect(statuses).not.toContain('cancelled');
		});
	});

	it('is not that of a key that is written alike', async () => {
		for (const idempotencyKey of ['产品-7', '%E4%BA%A7%E5%93%81-7'])
			await gateway.run('image:generate', { ...kite, options: { idempotencyKey } });

		expect(gateway.sandbox.tasks()).toHaveLength(2);
	});
});

describe('a request that equals an earlier one', () => {
	const reuse = { options: { ifAlreadyMade: 'reuse' } };
	const ids = () => new Set(gateway.sandbox.tasks().map(({ task_id }) => task_id)).size;

	it('is found by the bytes of its files', async () => {
		const binary = (fileName: string) => ({
			photo: {
				data: Buffer.from('the same bytes').toString('base64'),
				mimeType: 'image/png',
				fileName,
			},
		});
		const edit = {
			model: modelId('flx-ctx-pro'),
			action: 'edit',
			prompt: 'night',
			image_urls: 'photo',
			...reuse,
		};
		const engine = { instanceBaseUrl: 'https://n8n.example.com' };
		for (const name of ['a.png', 'b.png']) {
			const items = [{ json: {}, binary: binary(name) }] as never[];
			const run = await gateway.run('image:generate', edit, { items, engine });
			expect(run.error).toBeUndefined();
		}

		expect(ids()).toBe(1);
	});

	it('is found whoever is called back', async () => {
		for (const callback_url of ['https://example.com/a', 'https://example.com/b'])
			await gateway.run('image:generate', { ...kite, options: { ...reuse.options, callback_url } });

		expect(ids()).toBe(1);
	});
});

describe('a dry run', () => {
	it('takes nothing from the limit of the execution', async () => {
		const options = { maximumRunCost: 0.0425, dryRun: '={{ $json.isDry }}' };
		const items = [{ isDry: true }, { isDry: true }, { isDry: false }];
		const run = await gateway.run('image:generate', { ...kite, options }, { items });

		expect(run.error).toBeUndefined();
		expect(charged()).toBe(21_250);
	});
});

it('plans 8,000 equal rows in a time that grows with their number', async () => {
	const time = async (count: number) => {
		const options = { maximumRunCost: 9_999, ifAlreadyMade: 'reuse', dryRun: true };
		const items = Array.from({ length: count }, () => ({}));
		const startedAt = process.cpuUsage().user;
		await gateway.run('image:generate', { ...kite, options }, { items });
		return process.cpuUsage().user - startedAt;
	};
	await time(500);
	const few = await time(1_000);
	expect(await time(8_000)).toBeLessThan(40 * few);
});

describe('the ID of a task', () => {
	it('is in the log and the custom data before the task has ended', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		const user = new AbortController();
		const ending = gateway.run(
			'image:generate',
			{ ...kite, options: { cancelOnStop: false } },
			{ engine: { signal: user.signal } },
		);
		while (!gateway.sandbox.requests.some(({ headers }) => headers.prefer))
			await new Promise((done) => setTimeout(done, 5));
		user.abort();

		const run = await ending;
		expect(customData(run).gateway_task_ids).toBe(gateway.sandbox.tasks()[0]!.task_id);
	});
});
