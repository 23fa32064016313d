import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { awaitTask } from '../../../nodes/gateway/tasks/awaitTask';
import { PollCoordinator } from '../../../nodes/gateway/tasks/pollCoordinator';
import { cancelTask, getTask, submitTask } from '../../../nodes/gateway/tasks/api';
import type { GatewayClient } from '../../../nodes/gateway/client';
import { useSandbox } from '../../support/useSandbox';
import { catchError, withClient } from '../../support/gatewayClient';

const visitor = useSandbox({ taskMs: 20 });
const body = { model: 'imgn-4.0', prompt: 'a kite' };
const look = { method: 'GET', path: /^\/v1\/tasks\// };
const pollOptions = { timeoutMs: 5000, longestMs: 10_000 };
const looks = () => visitor.sandbox.requests.filter(({ method }) => method === 'GET');

/** Submits and awaits as the node does. */
const waited = async (
	client: GatewayClient,
	key: string,
	more: Partial<typeof pollOptions> = {},
	coordinator = new PollCoordinator(),
) =>
	await awaitTask(
		client,
		await submitTask(client, { body, key, preferSeconds: 0 }),
		{ ...pollOptions, ...more },
		coordinator,
	);

describe('awaiting a task', () => {
	it('hands over the last known state when every look fails until the time is up', async () => {
		visitor.sandbox.settings.taskMs = Infinity;
		visitor.sandbox.faults.add({ match: look, times: Infinity, kind: { status: 503 } });
		const task = await withClient(visitor.sandbox, (client) =>
			waited(client, 'a', { timeoutMs: 900 }),
		);

		expect(task).toMatchObject({
			taskId: visitor.sandbox.tasks()[0]?.task_id,
			status: 'queued',
			held: 21_250,
		});
	});

	it('asks no more once the time is up, however long the gateway would have it wait', async () => {
		visitor.sandbox.settings.taskMs = Infinity;
		visitor.sandbox.faults.add({
			match: look,
			times: Infinity,
			kind: { status: 429, retryAfter: '20' },
		});
		const patient = { attempts: 9, budgetMs: 600_000, firstPauseMs: 10_000 };
		const task = await withClient(
			visitor.sandbox,
			(client) => waited(client, 'h', { timeoutMs: 900 }),
			{
				retry: patient,
			},
		);

		expect(task.status).toBe('queued');
		expect(looks().length).toBeLessThanOrEqual(4);
	});

	it.each([
		[{ status: 500 }],
		[{ status: 429, retryAfter: '0.1' }],
		['reset-after'],
		['broken-json'],
	] as const)('does not take %p for the end of a task', async (kind) => {
		visitor.sandbox.faults.add({ match: look, times: 6, kind });
		const task = await withClient(visitor.sandbox, (client) => waited(client, 'b'));

		expect(task.status).toBe('completed');
	});

	it.each([[401], [403], [404]])(
		'ends when the gateway refuses to tell (%i), and keeps the ID',
		async (status) => {
			visitor.sandbox.settings.taskMs = Infinity;
			visitor.sandbox.faults.add({ match: look, kind: { status } });
			const { details } = await catchError(
				withClient(visitor.sandbox, (client) => waited(client, 'c')),
			);

			expect(details).toMatchObject({
				task_id: visitor.sandbox.tasks()[0]?.task_id,
				http_status: status,
				retry: false,
				billed: undefined,
			});
		},
	);

	it('ends at once when the user stops the run, and keeps the ID', async () => {
		visitor.sandbox.settings.taskMs = Infinity;
		const user = new AbortController();
		setTimeout(() => user.abort(), 200);
		const issue = await catchError(
			withClient(visitor.sandbox, (client) => waited(client, 'd'), { signal: user.signal }),
		);

		expect(issue).toMatchObject({
			message: 'The run was stopped',
			details: { task_id: visitor.sandbox.tasks()[0]?.task_id },
		});
	});

	it('keeps to its time', async () => {
		visitor.sandbox.settings.taskMs = Infinity;
		const task = await withClient(visitor.sandbox, (client) =>
			waited(client, 'e', { timeoutMs: 700 }),
		);

		expect(task.status).toBe('queued');
		expect(looks().length).toBeGreaterThan(0);
	});

	it('asks rarely', async () => {
		visitor.sandbox.settings.taskMs = 1800;
		const task = await withClient(visitor.sandbox, (client) => waited(client, 'f'));

		expect(task.status).toBe('completed');
		expect(looks().length).toBeLessThanOrEqual(6);
	});

	it('learns from its siblings how long a model takes', async () => {
		Object.assign(visitor.sandbox.settings, {
			taskMs: 900,
			progressStyle: 'number',
			runningWord: 'queued',
		});
		const coordinator = new PollCoordinator();
		await withClient(visitor.sandbox, (client) => waited(client, 'g', {}, coordinator));

		expect(coordinator.expected('imgn-4.0')).toBeGreaterThanOrEqual(850);
	});
});

describe('the hold of a task', () => {
	/** A gateway whose looks tell this beside ID and state. */
	const told = async (more: object, held: number | undefined) => {
		const call: GatewayClient['request'] = async () => ({
			body: { task_id: 'task_1', status: 'processing', ...more },
			askedAt: Date.now(),
		});
		const submitted = { taskId: 'task_1', status: 'queued', progress: 0, urls: [], held, raw: {} };
		const client: GatewayClient = { request: call, stream: async () => undefined, concurrency: 1 };
		return (
			await awaitTask(client, submitted, { timeoutMs: 60, longestMs: 20 }, new PollCoordinator())
		).held;
	};

	it('is kept from the submission where the looks do not tell it', async () => {
		expect(await told({}, 21_250)).toBe(21_250);
	});

	it('is taken from a look where the submission did not tell it', async () => {
		expect(await told({ pre_consumed_cost: 10_000 }, undefined)).toBe(10_000);
	});
});

describe('submitting a task', () => {
	const submit = (key: string) =>
		withClient(visitor.sandbox, (client) => submitTask(client, { body, key, preferSeconds: 1 }));
	const keys = () => visitor.sandbox.requests.map(({ headers }) => headers['idempotency-key']);
	const ago = (ms: number) => () => Date.now() - ms;
	/** Tasks that another process made with these keys, a while ago. */
	async function earlier(
		used: string[],
		outcome: 'failed' | 'cancelled' | 'completed',
	): Promise<void> {
		Object.assign(visitor.sandbox.settings, { now: ago(60_000), taskMs: Infinity });
		for (const key of used) {
			const { data } = await visitor.submit(body, { 'idempotency-key': key });
			await visitor.sandbox.finish(data.task_id, outcome);
		}
		Object.assign(visitor.sandbox.settings, { now: () => Date.now(), taskMs: 20 });
		visitor.sandbox.requests.length = 0;
	}

	it.each(['failed', 'cancelled'] as const)(
		'moves on from a task that had ended %s',
		async (outcome) => {
			await earlier([`${outcome}-1`], outcome);
			const task = await submit(`${outcome}-1`);

			expect(task.status).toBe('completed');
			expect(keys()).toEqual([`${outcome}-1`, `${outcome}-1-retry-1`]);
		},
	);

	it('moves on from several, one after the other', async () => {
		await earlier(['many', 'many-retry-1', 'many-retry-2'], 'failed');
		await submit('many');

		expect(keys()).toEqual(['many', 'many-retry-1', 'many-retry-2', 'many-retry-3']);
	});

	it('does not move on for ever', async () => {
		await earlier(['long', ...[1, 2, 3, 4, 5, 6, 7].map((n) => `long-retry-${n}`)], 'failed');
		const task = await submit('long');

		expect(task.status).toBe('failed');
		expect(keys().length).toBeLessThanOrEqual(6);
		expect(visitor.sandbox.tasks()).toHaveLength(8);
	});

	it('stays with a task that was completed', async () => {
		await earlier(['paid'], 'completed');
		const task = await submit('paid');

		expect(task).toMatchObject({ status: 'completed', cost: 21_250 });
		expect(keys()).toEqual(['paid']);
	});

	it('hands over a task that fails while the answer is awaited, and moves on the next time', async () => {
		visitor.sandbox.settings.fail = () => 'The upstream is away.';
		expect(await submit('young')).toMatchObject({
			status: 'failed',
			reason: 'The upstream is away.',
		});
		visitor.sandbox.settings.fail = () => undefined;
		expect(await submit('young')).toMatchObject({ status: 'completed' });
		expect(keys()).toEqual(['young', 'young-retry-1']);
	});

	it('is told by the clock of the gateway what is old, not by its own', async () => {
		const date = jest.spyOn(Date, 'now').mockImplementation(() => new Date().getTime() + 3_600_000);
		try {
			visitor.sandbox.settings.now = () => new Date().getTime();
			visitor.sandbox.settings.fail = () => 'The upstream is away.';
			expect((await submit('clock')).status).toBe('failed');
			expect(visitor.sandbox.tasks()).toHaveLength(1);
		} finally {
			date.mockRestore();
		}
	});

	it('says so when a reply holds no task', async () => {
		visitor.sandbox.faults.add({ match: { method: 'POST' }, kind: { status: 200 } });
		const issue = await catchError(submit('strange'));

		expect(issue).toMatchObject({
			message: expect.stringMatching(/^The gateway answered without a task: ./),
			details: { retry: true },
		});
	});
});

describe('getting and cancelling a task', () => {
	it('keeps the ID it was asked for', async () => {
		const { data } = await visitor.submit(body);
		const task = await withClient(visitor.sandbox, (client) => getTask(client, data.task_id));
		expect(task).toMatchObject({ taskId: data.task_id, model: 'imgn-4.0' });
	});

	it('reads the task when the answer to the cancel holds none', async () => {
		visitor.sandbox.settings.taskMs = Infinity;
		const { data } = await visitor.submit(body);
		await visitor.sandbox.finish(data.task_id, 'cancelled');
		visitor.sandbox.faults.add({ match: { method: 'POST' }, kind: { status: 200 } });
		const task = await withClient(visitor.sandbox, (client) => cancelTask(client, data.task_id));

		expect(task).toMatchObject({ taskId: data.task_id, status: 'cancelled', cost: 0 });
	});

	it.each([
		['nothing', 204, ''],
		['an empty text', 200, ''],
		['a word', 200, 'ok'],
		['the ID alone', 200, '{"success":true,"task_id":"task_1"}'],
		['a page', 202, '<html></html>'],
	])('looks at the task after a cancel that is answered with %s', async (_name, status, reply) => {
		const asked: string[] = [];
		const gateway = createServer(({ method = '', url = '' }, response) => {
			asked.push(`${method} ${url}`);
			const look = { 'content-type': 'application/json' };
			if (method === 'POST') response.writeHead(status).end(reply);
			else response.writeHead(200, look).end('{"task_id":"task_1","status":"cancelled","cost":0}');
		});
		await new Promise<void>((done) => gateway.listen(0, '127.0.0.1', done));
		const { port } = gateway.address() as AddressInfo;
		const task = await withClient({ url: `http://127.0.0.1:${port}`, key: 'k' }, (client) =>
			cancelTask(client, 'task_1'),
		).finally(() => gateway.close());

		expect(task).toMatchObject({ taskId: 'task_1', status: 'cancelled', cost: 0 });
		expect(asked).toEqual(['POST /v1/tasks/task_1/cancel', 'GET /v1/tasks/task_1']);
	});
});
