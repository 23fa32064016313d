import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cancelTask } from '../../../nodes/gateway/tasks/api';
import { catchError, withClient } from '../../support/gatewayClient';
import { useSandbox } from '../../support/useSandbox';
import {
	createVirtualGateway,
	ok,
	refusal,
	type VirtualResponse,
} from '../../support/virtualGateway';

const fixture = useSandbox({ taskMs: Infinity });

describe('a cancel', () => {
	it.each([409, 425, 408, 500, 503])(
		'is repeated after %i, since it ends the same',
		async (status) => {
			const { client, clock, requests } = createVirtualGateway((_request, index) =>
				index ? ok({ task_id: 'task_1', status: 'cancelled', cost: 0 }) : refusal(status),
			);

			expect(await clock.run(cancelTask(client, 'task_1'))).toMatchObject({ status: 'cancelled' });
			expect(requests).toHaveLength(2);
		},
	);

	it('that is refused carries the ID of the task', async () => {
		const { client, clock } = createVirtualGateway(() => refusal(404));

		expect(await clock.run(catchError(cancelTask(client, 'task_1')))).toMatchObject({
			code: 'not_found',
			details: { task_id: 'task_1', billed: undefined },
		});
	});

	it.each([400, 404, 409, 422])(
		'that is refused with %i gives the task if it has ended',
		async (status) => {
			const cancel = async (state: object) => {
				const { client, clock } = createVirtualGateway(({ method }) =>
					method === 'POST' ? refusal(status) : ok({ task_id: 'task_1', ...state }),
				);
				return await clock.run(
					cancelTask(client, 'task_1').catch(({ details }: { details: object }) => ({ details })),
				);
			};

			expect(await cancel({ status: 'completed', cost: 500 })).toMatchObject({ cost: 500 });
			expect(await cancel({ status: 'processing' })).toMatchObject({
				details: { http_status: status, task_id: 'task_1' },
			});
		},
	);

	it.each([
		['itself', ['POST'], 401],
		['itself', ['POST'], 403],
		['its read', ['POST', 'GET'], 404],
	])('reads the task no more where %s is refused: %j', async (which, wanted, status) => {
		const methods: string[] = [];
		const { client, clock } = createVirtualGateway(({ method }) => {
			methods.push(method);
			return which === 'itself' || method === 'GET' ? refusal(status) : ok({});
		});
		await clock.run(catchError(cancelTask(client, 'task_1')));

		expect(methods).toEqual(wanted);
	});

	it('that waits for the rate limit reads no task that waits as long again', async () => {
		const { client, clock } = createVirtualGateway(() => refusal(429));
		const startedAt = clock.now();
		await clock.run(catchError(cancelTask(client, 'task_1')));

		expect(clock.now() - startedAt).toBeLessThanOrEqual(21 * 60_000);
	});

	it('is followed by a read of the task where its answer holds none', async () => {
		const { data } = await fixture.submit({ model: 'imgn-4.0', prompt: 'a kite' });
		await fixture.sandbox.finish(data.task_id, 'cancelled');
		fixture.sandbox.faults.add({ match: { method: 'POST' }, kind: { status: 200 } });
		const task = await withClient(fixture.sandbox, (client) => cancelTask(client, data.task_id));

		expect(task).toMatchObject({ taskId: data.task_id, status: 'cancelled', cost: 0 });
	});

	it.each([
		['nothing', 204, ''],
		['an empty text', 200, ''],
		['a word', 200, 'ok'],
		['the ID alone', 200, '{"success":true,"task_id":"task_1"}'],
		['a page', 202, '<html></html>'],
		['a refusal', 200, '{"task_id":"task_1","status":"error","message":"too late"}'],
		['a success that is none of the task', 200, '{"task_id":"task_1","status":"success","cost":0}'],
	])(
		'that is answered with %s is followed by a read of the task',
		async (_name, status, answer) => {
			const received: string[] = [];
			const gateway = createServer(({ method = '', url = '' }, response) => {
				received.push(`${method} ${url}`);
				const headers = { 'content-type': 'application/json' };
				if (method === 'POST') response.writeHead(status).end(answer);
				else
					response
						.writeHead(200, headers)
						.end('{"task_id":"task_1","status":"cancelled","cost":0}');
			});
			await new Promise<void>((done) => gateway.listen(0, '127.0.0.1', done));
			const { port } = gateway.address() as AddressInfo;
			const task = await withClient({ url: `http://127.0.0.1:${port}`, key: 'k' }, (client) =>
				cancelTask(client, 'task_1'),
			).finally(() => gateway.close());

			expect(task).toMatchObject({ taskId: 'task_1', status: 'cancelled', cost: 0 });
			expect(received).toEqual(['POST /v1/tasks/task_1/cancel', 'GET /v1/tasks/task_1']);
		},
	);

	describe('whose task cannot be read after it', () => {
		/** Cancels a task with this answer; every poll is answered with 500. */
		const cancel = async (answer: object) => {
			const { client, clock } = createVirtualGateway(({ method }) =>
				method === 'POST' ? ok({ task_id: 'task_1', ...answer }) : refusal(500),
			);
			return await clock.run(
				cancelTask(client, 'task_1').catch(({ code }: { code: string }) => ({ code })),
			);
		};

		it.each([
			['completed', 500],
			['failed', 0],
		])('is what its own answer says: %s', async (status, cost) => {
			expect(await cancel({ status, cost })).toMatchObject({ taskId: 'task_1', status, cost });
		});

		it.each<[string, object]>([
			['is a task that runs', { status: 'processing' }],
			['is a task that waits', { status: 'queued' }],
			['refuses it', { status: 'error', error: { message: 'already completed' } }],
			['confirms it', { status: 'success' }],
			['confirms it at no cost', { status: 'success', cost: 0 }],
			['is a task of which no cost is known', { status: 'completed' }],
		])('fails where its answer %s', async (_name, answer) => {
			expect(await cancel(answer)).toEqual({ code: 'gateway_error' });
		});
	});

	it.each([
		['completed', 500, ['POST']],
		['failed', 0, ['POST', 'GET']],
	])(
		'whose answer is the task, %s, asks for it no more than needed',
		async (status, cost, wanted) => {
			const methods: string[] = [];
			const images = [{ url: ['https://cdn.example.com/a.png'] }];
			const { client, clock } = createVirtualGateway(({ method }) => {
				methods.push(method);
				const answer = { task_id: 'task_1', status, cost, result: { images } };
				return ok(method === 'POST' ? answer : { ...answer, status: 'completed' });
			});

			expect(await clock.run(cancelTask(client, 'task_1'))).toMatchObject({ status: 'completed' });
			expect(methods).toEqual(wanted);
		},
	);

	describe('with an end', () => {
		const MINUTE_MS = 60_000;
		const late = refusal(429, 'No', { 'retry-after': '300' });

		it.each<[string, VirtualResponse]>([
			['itself is refused', late],
			['is followed by a poll that is refused', ok({ task_id: 'task_1', status: 'processing' })],
		])('is given up then, where it %s', async (_name, answer) => {
			const { client, clock } = createVirtualGateway(({ method }) =>
				method === 'POST' ? answer : late,
			);
			const startedAt = clock.now();
			const error = await clock.run(
				catchError(cancelTask(client, 'task_1', startedAt + MINUTE_MS)),
			);

			expect(error).toMatchObject({ code: 'rate_limited', details: { task_id: 'task_1' } });
			expect(clock.now() - startedAt).toBeLessThanOrEqual(MINUTE_MS);
		});
	});
});
