import { createLimiter } from '../../../nodes/gateway/concurrency';
import { readTask, type Task } from '../../../nodes/gateway/tasks/schema';
import { findTaskError, taskToItem, taskToJson } from '../../../nodes/n8n/items/task';
import { catchError } from '../../support/gatewayClient';

const rawTask = {
	task_id: 'task_1',
	model: 'clipk-v3',
	action: 'generate',
	status: 'completed',
	progress: '100%',
	created_at: 1_763_640_000,
	completed_at: 1_763_640_062,
	result: { videos: [{ url: ['https://example.com/a.mp4'], expires_at: 1_763_726_462 }] },
	cost: 178_500,
};
const read = (more: object = {}): Task => readTask({ ...rawTask, ...more })!;
const limit = createLimiter(1);

describe('the item of a task', () => {
	it('is flat, with its times in ISO 8601 and its cost in quota and USD', () => {
		expect(taskToJson(read())).toEqual({
			task_id: 'task_1',
			model: 'clipk-v3',
			action: 'generate',
			status: 'completed',
			progress: 100,
			created_at: '2025-11-20T12:00:00.000Z',
			completed_at: '2025-11-20T12:01:02.000Z',
			expires_at: '2025-11-21T12:01:02.000Z',
			urls: ['https://example.com/a.mp4'],
			cost: 178_500,
			cost_usd: 0.357,
		});
	});

	it('has every field also where little is known, and the hold until the cost is', () => {
		expect(taskToJson(readTask({ task_id: 'task_1', pre_consumed_cost: 500 })!)).toEqual({
			task_id: 'task_1',
			model: null,
			action: null,
			status: 'queued',
			progress: 0,
			created_at: null,
			completed_at: null,
			expires_at: null,
			urls: [],
			cost: null,
			cost_usd: null,
			pre_consumed_cost: 500,
		});
	});

	it('states a refund as 0, and why it failed', () => {
		const failed = read({ status: 'failed', cost: 0, pre_consumed_cost: 500, error: 'No' });

		expect(taskToJson(failed)).toMatchObject({ cost: 0, cost_usd: 0, reason: 'No' });
		expect(taskToJson(failed)).not.toHaveProperty('pre_consumed_cost');
		for (const status of ['failed', 'cancelled'])
			expect(taskToJson(readTask({ task_id: 'task_1', status })!)).toMatchObject({
				cost: 0,
				cost_usd: 0,
			});
	});

	it("is the gateway's own object with Simplify off", async () => {
		const item = await taskToItem({} as never, read(), { simplify: false }, { limit });

		expect(item).toEqual({ json: rawTask });
	});

	it('downloads nothing of a task that has not completed', async () => {
		const options = { simplify: true, download: 'data' };

		expect(
			await taskToItem({} as never, read({ status: 'processing' }), options, { limit }),
		).toMatchObject({ json: { status: 'processing' } });
	});

	it.each([
		['a file that does not arrive', async () => ({ baseUrl: 'https://gateway.example.com' })],
		['a file, also where the credential is gone', async () => await Promise.reject(new Error())],
	])('keeps what is paid with the error of %s', async (_what, getCredentials) => {
		const task = { ...read(), urls: ['http://127.0.0.1/a.mp4'] };
		const item = taskToItem(
			{ getCredentials, helpers: {} } as never,
			task,
			{ simplify: true, download: 'data' },
			{ limit },
		);

		expect(await catchError(item)).toMatchObject({
			code: 'link_not_public',
			details: {
				task_id: 'task_1',
				status: 'completed',
				billed: 178_500,
				urls: ['http://127.0.0.1/a.mp4'],
				expires_at: '2025-11-21T12:01:02.000Z',
				retry: false,
			},
		});
	});

	it('keeps what is paid with an error that nobody expects', async () => {
		const getCredentials = async () => ({ baseUrl: 'https://gateway.example.com' });
		const options = { simplify: true, download: 'data' };
		const item = taskToItem({ getCredentials, helpers: {} } as never, read(), options, {
			limit: async () => await Promise.reject(new Error('Driver not Connected')),
		});

		expect(await catchError(item)).toMatchObject({
			code: 'unexpected',
			details: { task_id: 'task_1', billed: 178_500, urls: read().urls },
		});
	});
});

describe('the error of a task', () => {
	it.each(['queued', 'processing', 'completed'])('is none while it is %s', (status) =>
		expect(findTaskError(read({ status }))).toBeUndefined(),
	);

	it('that failed says why, what it cost and what to do', () => {
		expect(findTaskError(read({ status: 'failed', cost: 0, error: 'Too dark' }))).toMatchObject({
			code: 'task_failed',
			message: 'The task task_1 failed: Too dark',
			hint: 'It was refunded in full. Run it again for a new task, or change the request.',
			details: { task_id: 'task_1', status: 'failed', model: 'clipk-v3', billed: 0, retry: true },
		});
	});

	it('that was cancelled is no reason to retry, and tells a charge', () => {
		expect(findTaskError(read({ status: 'cancelled', cost: 12 }))).toMatchObject({
			code: 'task_cancelled',
			message: 'The task task_1 was cancelled',
			hint: '12 quota were charged. Run it again for a new task.',
			details: { billed: 12, retry: false },
		});
	});
});
