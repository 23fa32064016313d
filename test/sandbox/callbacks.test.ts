import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Body } from '../../sandbox';
import { until, useSandbox } from '../support/useSandbox';

const image = { model: 'imgn-4.0', prompt: 'a bell' };

describe('callbacks', () => {
	const fixture = useSandbox({
		taskMs: Infinity,
		callbackRetry: { attempts: 3, delayMs: 10, timeoutMs: 1000 },
	});
	let received: Body[] = [];
	let answers: number[] = [];
	let server: Server;
	let callback_url = '';

	beforeAll(async () => {
		server = createServer((request, reply) => {
			let text = '';
			request.on('data', (chunk) => (text += String(chunk)));
			request.on('end', () => {
				received.push(JSON.parse(text) as Body);
				reply.writeHead(answers.shift() ?? 200).end();
			});
		});
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		callback_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
	});
	afterAll(() => new Promise((done) => server.close(done)));
	beforeEach(() => {
		received = [];
		answers = [];
	});

	it('calls back with the task when it is over', async () => {
		fixture.sandbox.settings.taskMs = 100;
		const { data } = await fixture.submit({ ...image, callback_url });
		await until(() => fixture.sandbox.tasks()[0]?.deliveries.length === 1);
		expect(received).toEqual([(await fixture.read(data.task_id)).data]);
		expect(fixture.sandbox.tasks()).toMatchObject([
			{ callbacks: 1, deliveries: [{ status: 200, url: callback_url }] },
		]);
	});

	it('has delivered it when a task was ended by hand', async () => {
		const { data } = await fixture.submit({ ...image, callback_url });
		await fixture.sandbox.finish(data.task_id, 'failed');
		expect(received).toMatchObject([{ task_id: data.task_id, status: 'failed' }]);
	});

	it('calls back about a cancelled task', async () => {
		const { data } = await fixture.submit({ ...image, callback_url });
		await fixture.http.post(`/v1/tasks/${data.task_id}/cancel`);
		await until(() => received.length > 0);
		expect(received).toMatchObject([{ status: 'cancelled' }]);
	});

	it('sends only the requested events', async () => {
		const outcome = async (
			events: string[],
			how: 'completed' | 'failed' | 'cancelled',
		): Promise<number> => {
			received = [];
			const { data } = await fixture.submit({ ...image, callback_url, callback_events: events });
			await fixture.sandbox.finish(data.task_id, how);
			return received.length;
		};
		expect(await outcome(['completed'], 'completed')).toBe(1);
		expect(await outcome(['succeeded'], 'completed')).toBe(1);
		expect(await outcome(['completed'], 'failed')).toBe(0);
		expect(await outcome(['failed', 'cancelled'], 'cancelled')).toBe(1);
	});

	it('tries again when the receiver does not take it, and gives up in the end', async () => {
		answers = [500, 503];
		const { data } = await fixture.submit({ ...image, callback_url });
		await fixture.sandbox.finish(data.task_id);
		expect(fixture.sandbox.tasks()[0]?.deliveries.map(({ status }) => status)).toEqual([
			500, 503, 200,
		]);
		answers = [500, 500, 500, 500];
		const { data: second } = await fixture.submit({ ...image, callback_url });
		await fixture.sandbox.finish(second.task_id);
		expect(fixture.sandbox.tasks()[1]?.callbacks).toBe(3);
	});

	it.each([
		['lost', 0],
		['doubled', 2],
		['early', 2],
	] as const)('%s callbacks ring %i times', async (mode, times) => {
		Object.assign(fixture.sandbox.settings, { callbacks: mode, taskMs: 1_000 });
		const { data } = await fixture.submit({ ...image, callback_url });
		if (mode === 'early') {
			await until(() => received.length > 0);
			expect((await fixture.read(data.task_id)).data.status).toBe('processing');
		}
		expect(received).toHaveLength(mode === 'early' ? 1 : 0);
		await fixture.sandbox.finish(data.task_id);
		expect(received).toHaveLength(times);
	});

	it('sends the configured payload', async () => {
		fixture.sandbox.settings.callbackPayload = ({ task_id }) => ({
			event: 'task.completed',
			data: { id: task_id },
		});
		const { data } = await fixture.submit({ ...image, callback_url });
		await fixture.sandbox.finish(data.task_id);
		expect(received).toEqual([{ event: 'task.completed', data: { id: data.task_id } }]);
	});
});
