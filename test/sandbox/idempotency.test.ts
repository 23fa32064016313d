import { clientOf, useSandbox } from '../support/useSandbox';

const body = { model: 'clipk-v3', prompt: 'waves', duration: 5 };
const key = { 'idempotency-key': 'row-17' };

describe('the idempotency key', () => {
	const fixture = useSandbox({ taskMs: 100 });
	const held = (): number => fixture.sandbox.tasks().reduce((sum, task) => sum + task.held, 0);

	it('leads a repeated submission to the same task, held once', async () => {
		const first = await fixture.submit(body, key);
		const second = await fixture.submit(body, key);
		expect(second.data.task_id).toBe(first.data.task_id);
		expect(held()).toBe(178_500);
		expect(fixture.sandbox.tasks()).toMatchObject([{ key: 'row-17' }]);
	});

	it('does so when both arrive at once', async () => {
		const replies = await Promise.all(Array.from({ length: 20 }, () => fixture.submit(body, key)));
		expect(new Set(replies.map(({ data }) => data.task_id)).size).toBe(1);
		expect(fixture.sandbox.tasks()).toHaveLength(1);
	});

	it('gives the task in its current state', async () => {
		const { data: queued } = await fixture.submit(body, key);
		await fixture.sandbox.finish(queued.task_id);
		expect((await fixture.submit(body, key)).data).toMatchObject({
			status: 'completed',
			cost: 178_500,
		});
	});

	it('gives a failed task again', async () => {
		const { data: queued } = await fixture.submit(body, key);
		await fixture.sandbox.finish(queued.task_id, 'failed');
		expect((await fixture.submit(body, key)).data).toMatchObject({
			task_id: queued.task_id,
			status: 'failed',
		});
	});

	it('counts also when the body differs', async () => {
		const first = await fixture.submit(body, key);
		const second = await fixture.submit({ ...body, prompt: 'other waves' }, key);
		expect(second.data.task_id).toBe(first.data.task_id);
	});

	it('counts also when the balance ran out meanwhile', async () => {
		const first = await fixture.submit(body, key);
		fixture.sandbox.settings.quotaExhausted = true;
		expect((await fixture.submit(body, key)).data.task_id).toBe(first.data.task_id);
	});

	it('is not used up by a refused body', async () => {
		expect((await fixture.submit({ ...body, duration: 99 }, key)).status).toBe(400);
		expect((await fixture.submit(body, key)).status).toBe(200);
	});

	it('belongs to the account', async () => {
		const other = clientOf(fixture.sandbox.url, { authorization: 'Bearer other-key' });
		const first = await fixture.submit(body, key);
		const second = await other.post('/v1/tasks', body, { headers: key });
		expect(second.data.task_id).not.toBe(first.data.task_id);
	});

	it('is forgotten after 24 hours', async () => {
		const first = await fixture.submit(body, key);
		fixture.sandbox.settings.now = () => Date.now() + 86_400_000;
		expect((await fixture.submit(body, key)).data.task_id).not.toBe(first.data.task_id);
	});

	it('without it, each submission is a task', async () => {
		await Promise.all([fixture.submit(body), fixture.submit(body)]);
		expect(fixture.sandbox.tasks()).toHaveLength(2);
	});

	it('keeps the style of the legacy model', async () => {
		const legacy = { model: 'gp-4o-image', prompt: 'waves' };
		const first = await fixture.submit(legacy, key);
		expect((await fixture.submit(legacy, key)).data).toEqual(first.data);
	});
});
