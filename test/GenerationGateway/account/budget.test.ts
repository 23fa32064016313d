import type { IDataObject } from 'n8n-workflow';
import { Budget } from '../../../nodes/GenerationGateway/account/budget';
import { createTaskObserver } from '../../../nodes/GenerationGateway/account/taskObserver';
import type { Task } from '../../../nodes/gateway/tasks/schema';

const price = { quota: 21_250, usd: 0.0425 };
const limits = { perExecution: 0.06, sendsUnpriced: false, noun: 'task' as const };
const task = (taskId: string, status: string, cost?: number): Task => ({
	taskId,
	status,
	progress: 0,
	urls: cost ? ['https://files.example.com/a.png'] : [],
	held: price.quota,
	cost,
	raw: {},
});
/** What n8n hands on to a Retry. */
const stored = (context: IDataObject) => JSON.parse(JSON.stringify(context)) as IDataObject;
async function reserve(context: IDataObject, keys: string[], perExecution = limits.perExecution) {
	const budget = Budget.of(context);
	const reservation = budget.reserve(price, { ...limits, perExecution }, { keys });
	const send = async (key = keys[0]!) => await budget.admit(reservation, key, undefined);
	return { budget, reservation, send };
}

afterEach(() => jest.restoreAllMocks());

it('counts the hours of a key from the task that it leads to', async () => {
	const begin = Date.now();
	const waitUntil = (hours: number) =>
		jest.spyOn(Date, 'now').mockImplementation(() => begin + hours * 3_600_000);
	const context: IDataObject = {};
	const first = await reserve(context, ['key']);
	await first.send();
	first.budget.update(first.reservation, task('task_1', 'queued'));

	waitUntil(23);
	const retried = stored(context);
	const second = await reserve(retried, ['key']);
	await second.send();
	expect(() => second.budget.replace(second.reservation, price)).not.toThrow();
	second.budget.update(second.reservation, task('task_2', 'completed', price.quota));

	waitUntil(25);
	await expect(reserve(stored(retried), ['key'])).resolves.toBeDefined();
	waitUntil(48);
	await expect(reserve(stored(retried), ['key'])).rejects.toThrow('Cost Limit per Execution');
});

it.each([1, 2])('knows the task of the next model of %i rows with one key', async (rows) => {
	const context: IDataObject = {};
	const keys = ['first', 'second'];
	const all = await Promise.all(
		Array.from({ length: rows }, async () => await reserve(context, keys)),
	);
	for (const { send } of all) await send();
	for (const { budget, reservation } of all)
		budget.update(reservation, task('task_1', 'failed', 0));
	for (const { budget, reservation } of all) {
		budget.release(reservation);
		budget.renew(reservation, price, { isNextModel: true });
	}
	for (const { budget, reservation, send } of all) {
		await send('second');
		budget.update(reservation, task('task_2', 'completed', price.quota));
	}

	await expect(reserve(context, keys)).resolves.toBeDefined();
});

it('counts each task of a row whose fallback models change from Retry to Retry', async () => {
	let context: IDataObject = {};
	for (const key of ['b', 'c', 'd']) {
		context = stored(context);
		const { budget, reservation, send } = await reserve(context, ['a', key], 1);
		await send(key);
		budget.keep(reservation);
	}

	await expect(reserve(stored(context), ['a', 'e'], 0.16)).rejects.toThrow('on top of $0.1275');
	await expect(reserve(stored(context), ['a', 'c'], 0.16)).resolves.toBeDefined();
});

it('lets the next row without a price go on where nobody cancels a task that holds too much: that of a Retry', async () => {
	const unknown = { unknown: 'No price is stated' };
	const known = { perItem: 0.05, perExecution: 5, sendsUnpriced: true, noun: 'task' as const };
	const context: IDataObject = {};
	const first = Budget.of(context);
	const made = first.reserve(unknown, known, { keys: ['a'] });
	await first.admit(made, 'a');
	first.update(made, { ...task('task_a', 'queued'), held: undefined });
	first.close(made);

	const retried = Budget.of(stored(context));
	const [a, b] = ['a', 'b'].map((key) => retried.reserve(unknown, known, { keys: [key] }));
	await retried.admit(a!, 'a');
	const plan = { index: 0, key: { key: 'a' }, reservation: a } as never;
	const run = { record: { update: () => true }, openTasks: new Map(), budget: retried } as never;
	const observer = createTaskObserver(plan, run);
	observer.isReused = true;

	expect(observer.observe({ ...task('task_a', 'queued'), held: 30_000 })).toBeUndefined();
	await expect(retried.admit(b!, 'b')).resolves.toBeUndefined();
});
