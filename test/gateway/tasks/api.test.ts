import { awaitTask } from '../../../nodes/gateway/tasks/awaitTask';
import { PollCoordinator } from '../../../nodes/gateway/tasks/pollCoordinator';
import { getTask } from '../../../nodes/gateway/tasks/api';
import { RetiredKeys } from '../../../nodes/gateway/tasks/idempotencyKeys';
import { submitTask } from '../../../nodes/gateway/tasks/submitTask';
import type { GatewayClient } from '../../../nodes/gateway/client';
import type { GatewayError } from '../../../nodes/gateway/errors';
import { readTask } from '../../../nodes/gateway/tasks/schema';
import { systemClock } from '../../../nodes/n8n/systemClock';
import { onFastClock } from '../../support/fastClock';
import { createVirtualGateway, ok } from '../../support/virtualGateway';
import { useSandbox } from '../../support/useSandbox';
import { catchError, withClient } from '../../support/gatewayClient';

const fixture = useSandbox({ taskMs: 20 });
const body = { model: 'imgn-4.0', prompt: 'a kite' };
const pollMatch = { method: 'GET', path: /^\/v1\/tasks\// };
const pollOptions = { timeoutMs: 15_000, longestMs: 10_000 };
const polls = () => fixture.sandbox.requests.filter(({ method }) => method === 'GET');

/** Submits and awaits as the node does. */
const submitAndAwait = async (
	client: GatewayClient,
	key: string,
	more: Partial<typeof pollOptions> = {},
	coordinator = new PollCoordinator(systemClock),
) =>
	await awaitTask(
		client,
		(await submitTask(client, { body, idempotencyKey: key }, new RetiredKeys(systemClock))).task,
		{ ...pollOptions, ...more },
		coordinator,
	);

describe('awaiting a task', () => {
	it('returns the last known state when every poll fails until the time is up', async () => {
		fixture.sandbox.settings.taskMs = Infinity;
		fixture.sandbox.faults.add({ match: pollMatch, times: Infinity, kind: { status: 503 } });
		const task = await withClient(fixture.sandbox, (client) =>
			submitAndAwait(client, 'a', { timeoutMs: 900 }),
		);

		expect(task).toMatchObject({
			taskId: fixture.sandbox.tasks()[0]?.task_id,
			status: 'queued',
			held: 21_250,
		});
	});

	it('polls no more once the time is up, however long a delay the gateway requests', async () => {
		fixture.sandbox.settings.taskMs = Infinity;
		fixture.sandbox.faults.add({
			match: pollMatch,
			times: Infinity,
			kind: { status: 429, retryAfter: '20' },
		});
		const slowRetry = { attempts: 9, budgetMs: 600_000, firstDelayMs: 10_000 };
		const task = await withClient(
			fixture.sandbox,
			(client) => submitAndAwait(client, 'h', { timeoutMs: 900 }),
			{
				retry: slowRetry,
			},
		);

		expect(task.status).toBe('queued');
		expect(polls().length).toBeLessThanOrEqual(4);
	});

	it.each([
		[{ status: 500 }],
		[{ status: 429, retryAfter: '0.1' }],
		['reset-after'],
		['broken-json'],
		[{ status: 404 }],
	] as const)(
		'does not treat %p as the end of a task',
		onFastClock(async (kind) => {
			fixture.sandbox.faults.add({ match: pollMatch, times: 6, kind });
			const task = await withClient(fixture.sandbox, (client) =>
				submitAndAwait(client, 'b', { timeoutMs: 600_000 }),
			);

			expect(task.status).toBe('completed');
		}),
	);

	it.each([
		[{ status: 'error', id: 'req_1', message: 'Upstream is down' }, 'unreadable_response'],
		[{ status: 'failed', id: 'task_1' }, 'failed'],
		[{ status: 'failed', task_id: 'upstream_9', cost: 0 }, 'failed'],
		[{ status: 'processing', id: 'job_1' }, 'processing'],
	])('takes %j for the task only where it may be that', async (body, outcome) => {
		const { client, clock } = createVirtualGateway(() => ok(body), {
			retry: { attempts: 1, budgetMs: 0, firstDelayMs: 1 },
		});
		const read = getTask(client, 'task_1').then(
			({ status, taskId }) => [status, taskId],
			({ code, details }: GatewayError) => [code, details.task_id],
		);

		expect(await clock.run(read)).toEqual([outcome, 'task_1']);
	});

	it('ends when the gateway does not accept the key, and keeps the ID', async () => {
		fixture.sandbox.settings.taskMs = Infinity;
		fixture.sandbox.faults.add({ match: pollMatch, kind: { status: 401 } });
		const { details } = await catchError(
			withClient(fixture.sandbox, (client) => submitAndAwait(client, 'c')),
		);

		expect(details).toMatchObject({
			task_id: fixture.sandbox.tasks()[0]?.task_id,
			http_status: 401,
			retry: false,
			billed: undefined,
		});
	});

	it('ends at once when the user stops the execution, and keeps the ID', async () => {
		fixture.sandbox.settings.taskMs = Infinity;
		const user = new AbortController();
		setTimeout(() => user.abort(), 200);
		const error = await catchError(
			withClient(fixture.sandbox, (client) => submitAndAwait(client, 'd'), { signal: user.signal }),
		);

		expect(error).toMatchObject({
			code: 'stopped',
			details: { task_id: fixture.sandbox.tasks()[0]?.task_id },
		});
	});

	it('keeps to its time', async () => {
		fixture.sandbox.settings.taskMs = Infinity;
		const task = await withClient(fixture.sandbox, (client) =>
			submitAndAwait(client, 'e', { timeoutMs: 700 }),
		);

		expect(task.status).toBe('queued');
		expect(polls().length).toBeGreaterThan(0);
	});

	it('polls rarely', async () => {
		fixture.sandbox.settings.taskMs = 1800;
		const task = await withClient(fixture.sandbox, (client) => submitAndAwait(client, 'f'));

		expect(task.status).toBe('completed');
		expect(polls().length).toBeLessThanOrEqual(6);
	});

	it('learns from other tasks how long a model takes', async () => {
		Object.assign(fixture.sandbox.settings, {
			taskMs: 900,
			progressStyle: 'number',
			runningWord: 'queued',
		});
		const coordinator = new PollCoordinator(systemClock);
		await withClient(fixture.sandbox, (client) => submitAndAwait(client, 'g', {}, coordinator));

		expect(coordinator.learned.get('imgn-4.0')).toBeGreaterThanOrEqual(850);
	});
});

describe('the hold of a task', () => {
	/** The hold after polls that answer this beside ID and state. */
	const heldAfter = async (more: object, held: number | undefined) => {
		const request = async () => ({
			body: readTask({ task_id: 'task_1', status: 'processing', ...more }),
			requestedAt: Date.now(),
		});
		const submitted = { taskId: 'task_1', status: 'queued', progress: 0, urls: [], held, raw: {} };
		const client = { request, context: { clock: systemClock } } as unknown as GatewayClient;
		return (
			await awaitTask(
				client,
				submitted,
				{ timeoutMs: 60, longestMs: 20 },
				new PollCoordinator(systemClock),
			)
		).held;
	};

	it('is kept from the submission where the polls do not state it', async () => {
		expect(await heldAfter({}, 21_250)).toBe(21_250);
	});

	it('is taken from a poll where the submission did not state it', async () => {
		expect(await heldAfter({ pre_consumed_cost: 10_000 }, undefined)).toBe(10_000);
	});
});

describe('submitting a task', () => {
	let keys: RetiredKeys;
	beforeEach(() => void (keys = new RetiredKeys(systemClock)));
	const submit = (idempotencyKey: string) =>
		withClient(
			fixture.sandbox,
			async (client) => (await submitTask(client, { body, idempotencyKey }, keys)).task,
		);
	const sentKeys = () => fixture.sandbox.requests.map(({ headers }) => headers['idempotency-key']);
	const ago = (ms: number) => () => Date.now() - ms;
	/** Tasks that another process made with these keys, a while ago. */
	async function earlier(
		used: string[],
		outcome: 'failed' | 'cancelled' | 'completed',
	): Promise<void> {
		Object.assign(fixture.sandbox.settings, { now: ago(60_000), taskMs: Infinity });
		for (const key of used) {
			const { data } = await fixture.submit(body, { 'idempotency-key': key });
			await fixture.sandbox.finish(data.task_id, outcome);
		}
		Object.assign(fixture.sandbox.settings, { now: () => Date.now(), taskMs: 20 });
		fixture.sandbox.requests.length = 0;
	}

	it.each(['failed', 'cancelled'] as const)(
		'moves on from a task that had ended %s',
		async (outcome) => {
			await earlier([`${outcome}-1`], outcome);
			expect(await submit(`${outcome}-1`)).toMatchObject({ status: 'queued' });
			expect(sentKeys()).toEqual([`${outcome}-1`, `${outcome}-1%retry-1`]);
		},
	);

	it('moves on from several, one after the other', async () => {
		await earlier(['many', 'many%retry-1', 'many%retry-2'], 'failed');
		await submit('many');

		expect(sentKeys()).toEqual(['many', 'many%retry-1', 'many%retry-2', 'many%retry-3']);
	});

	it('does not move on for ever', async () => {
		await earlier(['long', ...[1, 2, 3, 4, 5, 6, 7].map((n) => `long%retry-${n}`)], 'failed');
		expect(await submit('long')).toMatchObject({ status: 'failed' });
		expect(sentKeys().length).toBeLessThanOrEqual(6);
		expect(fixture.sandbox.tasks()).toHaveLength(8);
	});

	it('stays with a task that was completed', async () => {
		await earlier(['paid'], 'completed');
		expect(await submit('paid')).toMatchObject({ status: 'completed', cost: 21_250 });
		expect(sentKeys()).toEqual(['paid']);
	});

	it('returns a task that fails at once, and moves on the next time', async () => {
		Object.assign(fixture.sandbox.settings, { fail: () => 'The upstream is away.', taskMs: 0 });
		fixture.sandbox.faults.add({ match: { method: 'POST' }, kind: 'reset-after' });
		expect(await submit('young')).toMatchObject({
			status: 'failed',
			reason: 'The upstream is away.',
		});
		fixture.sandbox.settings.fail = () => undefined;
		expect(await submit('young')).toMatchObject({ status: 'queued' });
		expect(sentKeys()).toEqual(['young', 'young', 'young%retry-1']);
	});

	it('sends it again after a response that holds no task', async () => {
		fixture.sandbox.faults.add({ match: { method: 'POST' }, kind: { status: 200 } });

		expect(await submit('strange')).toMatchObject({ status: 'queued' });
		expect(sentKeys()).toEqual(['strange', 'strange']);
	});

	it('reports a gateway that never answers with a task', async () => {
		fixture.sandbox.faults.add({ match: { method: 'POST' }, kind: { status: 200 }, times: 9 });
		const error = await catchError(submit('strange'));

		expect(error).toMatchObject({
			code: 'unreadable_response',
			message: expect.stringMatching(/^The gateway answered without a task: ./),
			details: { retry: true },
		});
	});
});

describe('getting a task', () => {
	it('keeps the ID that it was given', async () => {
		const { data } = await fixture.submit(body);
		const task = await withClient(fixture.sandbox, (client) => getTask(client, data.task_id));
		expect(task).toMatchObject({ taskId: data.task_id, model: 'imgn-4.0' });
	});
});
