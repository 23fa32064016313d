import { until, useSandbox } from '../support/useSandbox';

const body = { model: 'gmn-3-pro-image-preview', prompt: 'a lighthouse', n: 2 };

describe('waiting inside the request', () => {
	const fixture = useSandbox({ taskMs: 200 });

	it('answers with the result as soon as there is one', async () => {
		const { data } = await fixture.submit(body, { prefer: 'wait=60' });
		expect(data).toMatchObject({ status: 'completed', cost: 42_500 });
	});

	it('answers with the current state and the hold when the time is over', async () => {
		fixture.sandbox.settings.taskMs = 3_000;
		const { data } = await fixture.submit(body, { prefer: 'wait=1' });
		expect(data).toMatchObject({
			status: 'processing',
			// A third of the time, and more on a busy machine.
			progress: expect.stringMatching(/^(3[3-9]|[4-9]\d)%$/),
			pre_consumed_cost: 42_500,
		});
	});

	it('cuts the wait to the longest one', async () => {
		Object.assign(fixture.sandbox.settings, { taskMs: Infinity, maxWaitSeconds: 0.2 });
		const { data } = await fixture.submit(body, { prefer: 'wait=600' });
		expect(data.status).not.toBe('completed');
	});

	it('ends the wait when the task is cancelled meanwhile', async () => {
		fixture.sandbox.settings.taskMs = Infinity;
		const waiting = fixture.submit(body, { prefer: 'wait=20' });
		await until(() => fixture.sandbox.tasks().length > 0);
		const [task] = fixture.sandbox.tasks();
		await fixture.http.post(`/v1/tasks/${task?.task_id}/cancel`);
		expect((await waiting).data.status).toBe('cancelled');
	});

	it('takes a preference among others and ignores a broken one', async () => {
		expect((await fixture.submit(body, { prefer: 'respond-async, wait=5' })).data.status).toBe(
			'completed',
		);
		expect((await fixture.submit(body, { prefer: 'wait=soon' })).data.status).toBe('queued');
	});
});
