import { awaitTask } from '../../../nodes/gateway/tasks/awaitTask';
import { PollCoordinator } from '../../../nodes/gateway/tasks/pollCoordinator';
import type { GatewayClient } from '../../../nodes/gateway/client';
import { cancelTask, getTask, postTask, waitInRequest } from '../../../nodes/gateway/tasks/api';
import { readTask } from '../../../nodes/gateway/tasks/schema';
import { catchError } from '../../support/gatewayClient';
import {
	createVirtualGateway,
	ok,
	refusal,
	type VirtualResponse,
} from '../../support/virtualGateway';

const TIMEOUT_MS = 600_000;
const queued = readTask({ task_id: 'task_1', model: 'clipk-v3', status: 'queued' })!;
const running = ok({ task_id: 'task_1', model: 'clipk-v3', status: 'processing' });
const result = { images: [{ url: ['https://example.com/a.png'] }] };
const completed = ok({
	task_id: 'task_1',
	model: 'clipk-v3',
	status: 'completed',
	cost: 500,
	result,
});

/** Awaits a task whose polls get these answers; the last one stays. */
function poll(answers: VirtualResponse[], timeoutMs = TIMEOUT_MS) {
	const gateway = createVirtualGateway(
		(_request, index) => answers[Math.min(index, answers.length - 1)]!,
	);
	const { client, clock } = gateway;
	const startedAt = clock.now();
	const options = { timeoutMs, longestMs: 10_000, submittedAt: startedAt };
	const result = clock.run(awaitTask(client, queued, options, new PollCoordinator(clock)));
	result.catch(() => undefined);
	return { result, ...gateway, elapsed: () => clock.now() - startedAt };
}

describe('awaiting a task on virtual time', () => {
	it('gives it once it has ended', async () => {
		const { result, elapsed } = poll([running, running, completed]);

		expect(await result).toMatchObject({ taskId: 'task_1', status: 'completed', cost: 500 });
		expect(elapsed()).toBeLessThan(3_000);
	});

	it.each([402, 408, 409, 425, 429, 500, 503])(
		'goes on after polls that met %i, which may pass',
		async (status) => {
			const { result } = poll([...Array<VirtualResponse>(8).fill(refusal(status)), completed]);

			expect(await result).toMatchObject({ status: 'completed' });
		},
	);

	it.each([302, 400, 403, 404])(
		'goes on after polls that met %i, which a lagging replica or a firewall may send',
		async (status) => {
			const odd = refusal(status, 'No', { location: 'https://example.com/login' });
			const { result } = poll([odd, running, ...Array<VirtualResponse>(4).fill(odd), completed]);

			expect(await result).toMatchObject({ status: 'completed' });
		},
	);

	it.each([
		[302, 'redirected'],
		[400, 'bad_request'],
		[403, 'forbidden'],
		[404, 'not_found'],
	])('ends with %i once every poll of half a minute met it', async (status, code) => {
		const odd = refusal(status, 'No', { location: 'https://example.com/login' });
		const { result, requests, elapsed } = poll([odd]);

		expect(await catchError(result)).toMatchObject({
			code,
			details: { task_id: 'task_1', http_status: status, billed: undefined },
		});
		expect(requests.length).toBeGreaterThanOrEqual(5);
		expect(elapsed()).toBeGreaterThanOrEqual(30_000);
		expect(elapsed()).toBeLessThan(50_000);
	});

	it('goes on after a login page, though it has the status of a key that is not accepted', async () => {
		const page = { status: 401, headers: {}, body: '<html>Log in</html>' };
		const { result } = poll([page, running, page, completed]);

		expect(await result).toMatchObject({ status: 'completed' });
	});

	it('ends at once when the key is not accepted, with the ID and without a word about the money', async () => {
		const { result, requests } = poll([refusal(401)]);

		expect(await catchError(result)).toMatchObject({
			code: 'invalid_api_key',
			details: { task_id: 'task_1', http_status: 401, billed: undefined },
		});
		expect(requests).toHaveLength(1);
	});

	it('takes the answer about an ID whose task was never seen', async () => {
		const { client, clock, requests } = createVirtualGateway(() => refusal(404));
		const options = { timeoutMs: TIMEOUT_MS, longestMs: 10_000 };
		const wait = awaitTask(client, 'task_9', options, new PollCoordinator(clock));

		expect(await clock.run(catchError(wait))).toMatchObject({ code: 'not_found' });
		expect(requests).toHaveLength(1);
	});

	it.each([
		['an error', refusal(503)],
		['a page', { status: 200, headers: {}, body: '<html>Soon back</html>' }],
	])('goes on for an ID whose first polls meet %s for minutes', async (_name, answer) => {
		const { client, clock } = createVirtualGateway(() =>
			clock.now() - startedAt < 180_000 ? answer : completed,
		);
		const startedAt = clock.now();
		const options = { timeoutMs: TIMEOUT_MS, longestMs: 10_000 };
		const wait = awaitTask(client, 'task_1', options, new PollCoordinator(clock));

		expect(await clock.run(wait)).toMatchObject({ status: 'completed' });
	});

	it.each([
		['between two polls', running],
		['before a result is read again', ok({ task_id: 'task_1', status: 'completed' })],
		['after a refused poll', refusal(429, 'No', { 'retry-after': '100' })],
		['after a first poll that failed', refusal(402)],
	])('ends at once when the user stops the execution %s', async (moment, answer) => {
		const user = new AbortController();
		let stoppedAt = 0;
		const { client, clock, requests } = createVirtualGateway(
			(_request, index) => {
				if (index === 0)
					clock.after(300, () => {
						stoppedAt = clock.now();
						user.abort();
					});
				return answer;
			},
			{ signal: user.signal },
		);
		const start = moment.includes('first') ? 'task_1' : queued;
		const options = { timeoutMs: 50_000, longestMs: 10_000, submittedAt: clock.now() - 60_000 };
		const wait = awaitTask(client, start, options, new PollCoordinator(clock));

		expect(await clock.run(catchError(wait))).toMatchObject({ code: 'stopped' });
		expect(clock.now()).toBe(stoppedAt);
		expect(requests).toHaveLength(1);
	});

	it('keeps to its time while the run waits out a refusal', async () => {
		const gateway = createVirtualGateway(() => refusal(429, 'No', { 'retry-after': '100' }));
		const { client, clock } = gateway;
		const startedAt = clock.now();
		const coordinator = new PollCoordinator(clock);
		const options = { timeoutMs: 30_000, longestMs: 10_000, submittedAt: startedAt };
		const tasks = ['task_1', 'task_2', 'task_3'].map((taskId) => ({ ...queued, taskId }));
		const waits = tasks.map(async (task) => await awaitTask(client, task, options, coordinator));

		expect(await clock.run(Promise.all(waits))).toEqual(tasks);
		expect(clock.now() - startedAt).toBeLessThanOrEqual(30_000);
	});
});

const submission = { body: { model: 'clipk-v3' }, idempotencyKey: 'row-1' };

it.each([
	['a poll', ['GET', 'GET'], (client: GatewayClient) => getTask(client, 'task_1')],
	[
		'a submission that is repeated',
		['POST', 'GET', 'GET'],
		async (client: GatewayClient) => (await postTask(client, submission)).task,
	],
	['a cancel', ['POST', 'GET', 'GET'], (client: GatewayClient) => cancelTask(client, 'task_1')],
])(
	'a completed task without its result is read again, a second later: %s',
	async (_name, calls, call) => {
		const bare = { task_id: 'task_1', status: 'completed' };
		const at: number[] = [];
		const { client, clock, requests } = createVirtualGateway(() => {
			at.push(clock.now());
			return at.length < calls.length ? ok(bare) : completed;
		});

		expect((await clock.run(call(client))).urls).toEqual(['https://example.com/a.png']);
		expect(requests.map(({ method }) => method)).toEqual(calls);
		expect(at.at(-1)! - at.at(-2)!).toBeGreaterThanOrEqual(1_000);
	},
);

describe('a submission that is repeated', () => {
	it.each([
		['queued', { status: 'queued' }],
		['whole', { status: 'completed', result: { images: ['https://example.com/a.png'] } }],
		['refunded', { status: 'completed', cost: 0 }],
		['failed', { status: 'failed' }],
	])('is not fetched where it is %s', async (_name, state) => {
		const { client, clock, requests } = createVirtualGateway(() =>
			ok({ task_id: 'task_1', ...state }),
		);
		await clock.run(postTask(client, submission));

		expect(requests).toHaveLength(1);
	});

	it('is kept where its task is completed and the result cannot be read until Max Wait', async () => {
		const bare = { task_id: 'task_1', status: 'completed', cost: 5 };
		const { client, clock } = createVirtualGateway(({ method }) =>
			method === 'POST' ? ok(bare) : refusal(429, 'No', { 'retry-after': '60' }),
		);
		const startedAt = clock.now();
		const posted = postTask(client, { ...submission, until: startedAt + 10_000 });

		expect((await clock.run(posted)).task).toMatchObject({ taskId: 'task_1', cost: 5 });
		expect(clock.now() - startedAt).toBeLessThanOrEqual(10_000);
	});

	it('carries its key, and Prefer only where the task is waited for', async () => {
		const { client, clock, requests } = createVirtualGateway(() => ok({ task_id: 'task_1' }));
		await clock.run(postTask(client, submission));
		await clock.run(waitInRequest(client, submission, 50));

		expect(requests.map(({ headers }) => [headers['Idempotency-Key'], headers.Prefer])).toEqual([
			['row-1', undefined],
			['row-1', 'wait=50'],
		]);
	});

	it.each([400, 404, 409, 429, 500, 502])(
		'is left to the polls where the request that waits is answered with %i',
		async (status) => {
			const { client, clock, requests } = createVirtualGateway(() => refusal(status));

			expect(
				await clock.run(waitInRequest(client, { ...submission, until: clock.now() + 1_000 }, 50)),
			).toBe(undefined);
			expect(requests.length).toBeGreaterThan(0);
		},
	);
});
