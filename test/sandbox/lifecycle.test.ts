import { clientOf, delay, readError, useSandbox } from '../support/useSandbox';

const body = { model: 'gmn-3-pro-image-preview', prompt: 'a lighthouse', n: 2 };
/** A task that does not end by itself while it is read, and for how long it is queued. */
const LONG_MS = 30_000;
const QUEUED_MS = 1_050;

describe('the life of a task', () => {
	const fixture = useSandbox({ taskMs: 150 });

	it('is queued at submission, with the quota it holds', async () => {
		const { status, data } = await fixture.submit(body);
		expect(status).toBe(200);
		expect(data).toEqual({
			task_id: expect.stringMatching(/^task/),
			model: body.model,
			action: 'generate',
			status: 'queued',
			created_at: expect.any(Number),
			progress: 0,
			pre_consumed_cost: 42_500,
		});
	});

	it('runs, then completes with one image per n, settled', async () => {
		fixture.sandbox.settings.taskMs = LONG_MS;
		const { data: queued } = await fixture.submit(body);
		await delay(QUEUED_MS);
		const { data: running } = await fixture.read(queued.task_id);
		expect(running).toMatchObject({
			status: 'processing',
			progress: expect.stringMatching(/^\d+%$/),
		});
		await fixture.sandbox.finish(queued.task_id);
		const { data: done } = await fixture.read(queued.task_id);
		expect(done).toMatchObject({
			status: 'completed',
			progress: '100%',
			billing_status: 'settled',
			cost: 42_500,
			urls: { get: `${fixture.sandbox.url}/v1/tasks/${queued.task_id}` },
		});
		expect(done.result.images).toHaveLength(2);
		expect(done.result.images[0]).toEqual({
			expires_at: done.completed_at + 86_400,
			url: [expect.any(String)],
		});
		expect(fixture.sandbox.tasks()).toMatchObject([{ polls: 2, cost: 42_500, held: 42_500 }]);
	});

	it('is never completed without its result, whenever it ends while it is read', async () => {
		const { settings } = fixture.sandbox;
		const tasks: { status: string; result?: unknown; cost?: number }[] = [];
		for (let readings = 1; readings < 12; readings += 1) {
			settings.now = Date.now;
			const { data } = await fixture.submit(body);
			const submitted = settings.now();
			let left = readings;
			settings.now = () => submitted + ((left -= 1) >= 0 ? 0 : LONG_MS);
			tasks.push((await fixture.read(data.task_id)).data);
		}
		const completed = tasks.filter(({ status }) => status === 'completed');
		expect(completed).not.toHaveLength(0);
		expect(tasks).not.toEqual(completed);
		for (const task of completed)
			expect(task).toMatchObject({ result: expect.anything(), cost: 42_500 });
	});

	it('states creation in milliseconds at submission and in seconds at the end', async () => {
		const { data: queued } = await fixture.submit(body);
		await fixture.sandbox.finish(queued.task_id);
		const { data: done } = await fixture.read(queued.task_id);
		expect(Math.floor(queued.created_at / 1000)).toBe(done.created_at);
	});

	it('uses the configured words and units', async () => {
		const { settings } = fixture.sandbox;
		Object.assign(settings, {
			taskMs: LONG_MS,
			createdAtUnit: 's',
			terminalWord: 'succeeded',
			runningWord: 'in_progress',
			progressStyle: 'number',
		});
		const { data: queued } = await fixture.submit(body);
		expect(queued.created_at).toBeLessThan(1e11);
		await delay(QUEUED_MS);
		expect((await fixture.read(queued.task_id)).data).toMatchObject({
			status: 'in_progress',
			progress: expect.any(Number),
		});
		await fixture.sandbox.finish(queued.task_id);
		expect((await fixture.read(queued.task_id)).data.status).toBe('succeeded');
	});

	it('fails as configured, and refunds the hold', async () => {
		const { data } = await fixture.submit(
			{ ...body, prompt: 'a lighthouse [fail]' },
			{ prefer: 'wait=2' },
		);
		expect(data).toMatchObject({
			status: 'failed',
			cost: 0,
			billing_status: 'refunded',
			error: { message: expect.any(String) },
		});
		expect(data.result).toBeUndefined();
		fixture.sandbox.settings.fail = ({ prompt }) =>
			prompt === 'storm' ? 'The sea is too rough.' : undefined;
		const { data: results } = await fixture.submit(
			{ ...body, prompt: 'storm' },
			{ prefer: 'wait=2' },
		);
		expect(results.error.message).toBe('The sea is too rough.');
		expect(fixture.sandbox.tasks().map(({ cost }) => cost)).toEqual([0, 0]);
	});

	it('is cancelled on request, once, and refunded', async () => {
		fixture.sandbox.settings.taskMs = LONG_MS;
		const { data: queued } = await fixture.submit(body);
		const cancel = `/v1/tasks/${queued.task_id}/cancel`;
		const { data } = await fixture.http.post(cancel);
		expect(data).toMatchObject({ status: 'cancelled', cost: 0 });
		expect((await fixture.http.post(cancel)).data).toEqual(data);
		await delay(200);
		expect((await fixture.read(queued.task_id)).data.status).toBe('cancelled');
	});

	it('keeps a finished task as it is when it is cancelled', async () => {
		const { data } = await fixture.submit(body, { prefer: 'wait=2' });
		expect((await fixture.http.post(`/v1/tasks/${data.task_id}/cancel`)).data).toEqual(data);
	});

	it('ends by hand, also a task that never would', async () => {
		fixture.sandbox.settings.taskMs = Infinity;
		const { data: queued } = await fixture.submit(body);
		await fixture.sandbox.finish(queued.task_id, 'failed');
		expect((await fixture.read(queued.task_id)).data.status).toBe('failed');
	});

	it('is unknown to other accounts and known to every key of its own', async () => {
		const { data } = await fixture.submit(body);
		const path = `/v1/tasks/${data.task_id}`;
		const other = clientOf(fixture.sandbox.url, { authorization: 'Bearer other-key' });
		const second = clientOf(fixture.sandbox.url, { authorization: 'Bearer sandbox-key-2' });
		expect((await other.get(path)).status).toBe(404);
		expect((await other.post(`${path}/cancel`)).status).toBe(404);
		expect((await second.get(path)).status).toBe(200);
		expect(readError(await fixture.read('task_nope'))).toMatchObject({ status: 404, code: 404 });
	});

	it('answers the legacy model with a code and the task id', async () => {
		const { data } = await fixture.submit({ model: 'gp-4o-image', prompt: 'a lighthouse', n: 2 });
		expect(data).toEqual({ code: 'success', data: expect.stringMatching(/^task/) });
		await fixture.sandbox.finish(data.data);
		expect((await fixture.read(data.data)).data.result.images).toHaveLength(2);
	});

	it('charges what the settings settle it at', async () => {
		fixture.sandbox.settings.settle = (held) => held / 2;
		const { data } = await fixture.submit(body, { prefer: 'wait=2' });
		expect(data.cost).toBe(21_250);
	});

	it('refuses to take what it cannot pay for, and still reads', async () => {
		const { data } = await fixture.submit(body);
		fixture.sandbox.settings.quotaExhausted = true;
		expect(readError(await fixture.submit(body))).toMatchObject({
			status: 402,
			type: 'payment_required',
		});
		for (const path of ['/v1/models', '/v1/assets', `/v1/tasks/${data.task_id}`]) {
			expect((await fixture.http.get(path)).status).toBe(200);
		}
	});

	it('holds thousands of tasks', async () => {
		for (let batch = 0; batch < 20; batch++) {
			await Promise.all(Array.from({ length: 100 }, () => fixture.submit(body)));
		}
		expect(fixture.sandbox.tasks()).toHaveLength(2000);
	});
});
