import { pause, useSandbox } from '../support/useSandbox';

const body = { model: 'gmn-3-pro-image-preview', prompt: 'a lighthouse', n: 2 };

describe('waiting inside the request', () => {
	const visitor = useSandbox({ taskMs: 200 });

	it('answers with the result as soon as there is one', async () => {
		const { data } = await visitor.submit(body, { prefer: 'wait=60' });
		expect(data).toMatchObject({ status: 'completed', cost: 42_500 });
	});

	it('answers with the current state and the hold when the time is over', async () => {
		visitor.sandbox.settings.taskMs = 3_000;
		const { data } = await visitor.submit(body, { prefer: 'wait=1' });
		expect(data).toMatchObject({
			status: 'processing',
			progress: '33%',
			pre_consumed_cost: 42_500,
		});
	});

	it('cuts the wait to the longest one', async () => {
		Object.assign(visitor.sandbox.settings, { taskMs: Infinity, maxWaitSeconds: 0.2 });
		const { data } = await visitor.submit(body, { prefer: 'wait=600' });
		expect(data.status).not.toBe('completed');
	});

	it('ends the wait when the task is cancelled meanwhile', async () => {
		visitor.sandbox.settings.taskMs = Infinity;
		const waiting = visitor.submit(body, { prefer: 'wait=20' });
		await pause(100);
		const [task] = visitor.sandbox.tasks();
		await visitor.http.post(`/v1/tasks/${task?.task_id}/cancel`);
		expect((await waiting).data.status).toBe('cancelled');
	});

	it('takes a preference among others and ignores a broken one', async () => {
		expect((await visitor.submit(body, { prefer: 'respond-async, wait=5' })).data.status).toBe(
			'completed',
		);
		expect((await visitor.submit(body, { prefer: 'wait=soon' })).data.status).toBe('queued');
	});
});
