import { SuspendedExecution } from '../../../nodes/GenerationGateway/suspend/suspendedExecution';
import { createPeriod } from '../../../nodes/GenerationGateway/suspend/storedSuspension';
import type { GatewayClient } from '../../../nodes/gateway/client';
import { systemClock } from '../../../nodes/n8n/systemClock';
import { createVirtualGateway, ok, refusal } from '../../support/virtualGateway';
import type { VirtualClock } from '../../support/virtualClock';

let clock: VirtualClock;
let execution: SuspendedExecution;
let lastId = 0;
/** What the gateway answers to a poll of a task; a number is a status of refusal. */
let states: Record<string, string | number>;
let polled: string[];
let latencyMs: number;

let client: GatewayClient;

beforeEach(() => {
	({ client, clock } = createVirtualGateway(async ({ path }) => {
		const id = path.split('/').at(-1)!;
		polled.push(id);
		if (latencyMs) await clock.sleep(latencyMs);
		const state = states[id]!;
		const result = { images: ['https://example.com/a.png'] };
		return typeof state === 'number' ? refusal(state) : ok({ task_id: id, status: state, result });
	}));
	jest.spyOn(systemClock, 'now').mockImplementation(() => clock.now());
	jest.spyOn(systemClock, 'after').mockImplementation((ms, callback) => clock.after(ms, callback));
	execution = SuspendedExecution.of(`execution-${(lastId += 1)}`);
	states = { task_1: 'processing', task_2: 'processing' };
	[polled, latencyMs] = [[], 0];
});
afterEach(() => jest.restoreAllMocks());

const TASKS = ['task_1', 'task_2'];
const take = async (tasks = TASKS) => await clock.run(execution.take(client, tasks));

describe('what a process remembers of suspended executions', () => {
	const suspendOthers = () => {
		for (let count = 0; count < 6_000; count += 1) SuspendedExecution.of(`other-${count}`);
	};
	const of = () => SuspendedExecution.of(`execution-${lastId}`);

	it('keeps one while a callback polls its tasks, and while it resumes', async () => {
		states = { task_1: 'completed', task_2: 'completed' };
		latencyMs = 1_000;
		const taken = execution.take(client, TASKS);
		suspendOthers();
		expect(of()).toBe(execution);

		expect(await clock.run(taken)).toBe('resume');
		suspendOthers();
		expect(of()).toBe(execution);
		execution.finishResume(true);
		execution.confirm();
		suspendOthers();
		expect(of()).not.toBe(execution);
	});
});

describe('a callback to a suspended execution', () => {
	it('is noted while a task is open', async () => {
		states.task_2 = 'completed';

		expect(await take()).toBe('received');
		expect(execution.latest('task_2')).toMatchObject({ status: 'completed' });
		expect(execution.latest('task_1')).toBeUndefined();
	});

	it('lets the execution go on when all tasks have ended, however they ended', async () => {
		states = { task_1: 'failed', task_2: 'cancelled' };

		expect(await take()).toBe('resume');
	});

	it('is a hint only: a task that has ended is not polled again, an open one is', async () => {
		states.task_2 = 'completed';
		await take();
		states.task_1 = 'completed';

		expect(await take()).toBe('resume');
		expect(polled).toEqual(['task_2', 'task_1', 'task_1']);
	});

	it('is to come again where no task could be fetched', async () => {
		states = { task_1: 404, task_2: 403 };

		expect(await take()).toBe('again');
	});

	it('is noted where only some of the tasks could be fetched', async () => {
		states = { task_1: 404, task_2: 'completed' };

		expect(await take()).toBe('received');
	});

	it('polls no more than one task while that one runs', async () => {
		const many = Array.from({ length: 25 }, (_, index) => `task_${index}`);
		states = Object.fromEntries(many.map((id) => [id, 'processing']));
		await take(many);

		expect(polled).toHaveLength(1);
	});

	it.each([
		['in their own order', (index: number) => index],
		['in the reverse order', (index: number) => -index],
		['in any order', (index: number) => (index * 7) % 25],
	])('polls a task four times at most when tasks end %s', async (_name, orderOf) => {
		const many = Array.from({ length: 25 }, (_, index) => index);
		const ids = many.map((index) => `task_${index}`);
		states = Object.fromEntries(ids.map((id) => [id, 'processing']));
		const outcomes: string[] = [];
		for (const index of [...many].sort((a, b) => orderOf(a) - orderOf(b))) {
			states[`task_${index}`] = 'completed';
			outcomes.push(await take(ids));
		}

		expect(outcomes).toEqual([...Array<string>(24).fill('received'), 'resume']);
		expect(ids.every((id) => execution.latest(id))).toBe(true);
		expect(polled.length).toBeLessThanOrEqual(4 * ids.length);
	});

	it('finds tasks whose callbacks were lost or went to another process', async () => {
		const ids = Array.from({ length: 25 }, (_, index) => `task_${index}`);
		states = Object.fromEntries(ids.map((id) => [id, 'processing']));
		await take(ids);
		for (const id of ids) states[id] = 'completed';

		expect(await take(ids)).toBe('resume');
	});

	it('polls a task once that several items wait for', async () => {
		states.task_1 = 'completed';

		expect(await take(['task_1', 'task_1'])).toBe('resume');
		expect(polled).toEqual(['task_1']);
	});

	it('waits a while after the last poll, so that a burst shares one', async () => {
		await take();
		const startedAt = clock.now();
		const second = execution.take(client, TASKS);

		expect(execution.isScheduled).toBe(true);
		await clock.run(second);
		expect(execution.isScheduled).toBe(false);
		expect(clock.now() - startedAt).toBe(500);
	});

	it('waits for a poll that is under way, and fetches only what that one did not', async () => {
		const many = Array.from({ length: 100 }, (_, index) => `task_${index}`);
		states = Object.fromEntries(many.map((id) => [id, 'completed']));
		states.task_0 = 'processing';
		latencyMs = 1_000;
		const outcomes = clock.run(
			Promise.all(
				Array.from({ length: 5 }, async (_, at) => {
					await clock.sleep(at * 5_000);
					return await execution.take(client, many);
				}),
			),
		);

		expect(await outcomes).toEqual(Array(5).fill('received'));
		expect(polled).toHaveLength(104);
	});

	it('fetches only what has not ended when it comes after a poll of many tasks', async () => {
		const many = Array.from({ length: 100 }, (_, index) => `task_${index}`);
		states = Object.fromEntries(many.map((id) => [id, 'completed']));
		states.task_0 = 'processing';
		await take(many);
		const before = polled.length;
		const startedAt = clock.now();
		await take(many);

		expect(before).toBe(100);
		expect(polled.slice(before)).toEqual(['task_0']);
		expect(clock.now() - startedAt).toBe(500);
	});
});

describe('the last poll, shortly before the suspension ends', () => {
	const takeLast = async () => {
		const period = { closesAt: clock.now(), until: clock.now() + 60_000, isCalledBack: true };
		return await execution.take(client, TASKS, { period });
	};
	const close = async () => await clock.run(takeLast());

	it('fetches every task, and the execution goes on with those that still run', async () => {
		states.task_1 = 'completed';

		expect(await close()).toBe('resume');
		expect(TASKS.map((id) => execution.latest(id)?.status)).toEqual(['completed', 'processing']);
	});

	it('is repeated where the gateway does not answer', async () => {
		states = { task_1: 404, task_2: 403 };

		expect(await close()).toBe('again');
	});

	it('does not let it go on a second time, when it has gone on meanwhile', async () => {
		latencyMs = 1_000;
		const first = takeLast();
		await clock.run(clock.sleep(800));
		const second = takeLast();
		expect(await clock.run(first)).toBe('resume');
		await clock.run(clock.sleep(500));
		execution.finishResume(true);
		execution.confirm();

		expect(await clock.run(second)).toBe('received');
	});
});

describe('the tasks of an execution', () => {
	it('are known from the last callback, where the next one names one of them', async () => {
		await take();

		expect(execution.knownTaskIds(['task_9', 'task_2'])).toEqual(TASKS);
		expect(execution.knownTaskIds(['task_9'])).toBeUndefined();
		expect(execution.knownTaskIds([])).toBeUndefined();
	});

	it('are given at its next suspension, where another process has let it go on', async () => {
		const period = createPeriod(clock.now(), clock.now() + 3_600_000);
		const suspend = (ids: string[]) =>
			execution.suspend(ids, period, { getCredentials: jest.fn() });
		expect(suspend(['task_1'])).toEqual([]);
		expect(suspend(['task_2'])).toEqual(['task_1']);
		states.task_2 = 'completed';
		expect(await take(['task_2'])).toBe('resume');
		execution.finishResume(true);

		expect(suspend(['task_3'])).toEqual([]);
	});

	it('are not known any more when it has gone on, since it may be suspended for others', async () => {
		states = { task_1: 'completed', task_2: 'completed' };
		await take();
		execution.finishResume(true);

		expect(execution.knownTaskIds(TASKS)).toBeUndefined();
	});
});

describe('an execution that goes on', () => {
	beforeEach(async () => {
		states = { task_1: 'completed', task_2: 'completed' };
		expect(await take()).toBe('resume');
	});

	it('is not resumed a second time meanwhile, nor just after', async () => {
		expect(await take()).toBe('again');
		execution.finishResume(true);
		expect(await take()).toBe('received');
		expect(polled).toHaveLength(2);
	});

	it('is not resumed by a call that was under way when another one resumed it, however late', async () => {
		const { epoch } = execution;
		execution.finishResume(true);
		await clock.run(clock.sleep(60_000));

		expect(await clock.run(execution.take(client, TASKS, { epoch }))).toBe('received');
	});

	it('is not polled for any more once n8n has said that it has gone on', async () => {
		execution.finishResume(true);
		execution.confirm();
		await clock.run(clock.sleep(60_000));

		expect(await take()).toBe('received');
		expect(polled).toHaveLength(2);
	});

	it('ends the checks of the suspension that is over', () => {
		const stop = jest.fn();
		execution.setChecks(stop);
		execution.finishResume(true);

		expect(stop).toHaveBeenCalledTimes(1);
	});

	it('is taken up again once by a callback a minute later, in case n8n, mending it after a crash, has not kept it', async () => {
		for (const outcomes of [
			['received', 'resume'],
			['received', 'received'],
		])
			for (const [index, outcome] of outcomes.entries()) {
				if (!index) execution.finishResume(true);
				expect(await take()).toBe(outcome);
				await clock.run(clock.sleep(60_000));
			}
	});

	it('is not taken up again where this process has suspended it: n8n may keep the resume in its queue for hours', async () => {
		const period = createPeriod(clock.now(), clock.now() + 24 * 3_600_000);
		execution.suspend(TASKS, period, { getCredentials: jest.fn() });
		expect(await take()).toBe('resume');
		execution.finishResume(true);
		await clock.run(clock.sleep(10 * 3_600_000));

		expect(await take()).toBe('received');
	});

	it('is tried again by the next callback when its items could not be made', async () => {
		execution.finishResume(false);
		await clock.run(clock.sleep(1));

		expect(await take()).toBe('resume');
		expect(polled).toHaveLength(2);
	});

	it.each(['Credential with ID "1" does not exist', 'Driver not Connected'])(
		'does not go on where its credential cannot be read, and says so in the log: %s',
		async (reason) => {
			const warn = jest.fn();
			const getCredentials = jest.fn(async () => ({ apiKey: 'sk-1' }));
			const node = { getCredentials, logger: { warn } };
			expect(await execution.renewCredential(node as never)).toBe(true);
			getCredentials.mockRejectedValue(new Error(reason));

			expect(await execution.renewCredential(node as never)).toBe(false);
			expect(warn.mock.calls).toEqual([
				[expect.stringMatching(new RegExp(`credential cannot be read: ${reason}$`))],
			]);
			expect(await take()).toBe('resume');
		},
	);

	it('may be suspended again for other tasks at once', async () => {
		execution.finishResume(true);
		states.task_3 = 'processing';

		expect(await take(['task_3'])).toBe('received');
	});
});

describe('what this process knows of executions', () => {
	it('is kept for each, and the oldest is forgotten', () => {
		const first = SuspendedExecution.of('kept');
		expect(SuspendedExecution.of('kept')).toBe(first);
		expect(SuspendedExecution.of('other')).not.toBe(first);
		for (let index = 0; index < 5_000; index += 1) SuspendedExecution.of(`many-${index}`);

		expect(SuspendedExecution.of('kept')).not.toBe(first);
	});
});
