import { awaitTask } from '../../../nodes/gateway/tasks/awaitTask';
import { PollCoordinator } from '../../../nodes/gateway/tasks/pollCoordinator';
import type { Task } from '../../../nodes/gateway/tasks/schema';
import { createRandom } from '../../support/rateLimits';
import { createVirtualGateway, ok } from '../../support/virtualGateway';

/** What the gateway says of the progress of a task that has run for this share of its time. */
const PROGRESS = {
	'no progress': () => 0,
	percent: (share: number) => Math.floor(share * 100),
	quarters: (share: number) => Math.floor(share * 4) * 25,
};
const COUNT = 100;
const SEEDS = 8;
const POLL_MS = 20;
const BETWEEN_SUBMISSIONS_MS = 8;
const result = { images: [{ url: 'https://example.com/a.png' }] };

interface Batch {
	durationMs: number;
	progress: (share: number) => number;
	/** Tasks that fail after so many milliseconds. */
	failing?: { count: number; afterMs: number };
	/** How many tasks the gateway runs at a time; the others are queued. */
	atOnce?: number;
}

/** Awaits many tasks of a model that take alike; gives the calls a task and how late the last was seen to have ended. */
async function awaitBatch({ durationMs, progress, failing, atOnce = COUNT }: Batch) {
	const endOf = (index: number) => durationMs * (1 + Math.floor(index / atOnce));
	let polls = 0;
	const gateway = createVirtualGateway(async ({ path }) => {
		polls += 1;
		await gateway.clock.sleep(POLL_MS);
		const index = Number(path.split('_').at(-1));
		const task = { task_id: `task_${index}`, model: 'm' };
		const age = gateway.clock.now() - submittedAt(index);
		if (failing && index < failing.count && age >= failing.afterMs)
			return ok({ ...task, status: 'failed' });
		if (age >= endOf(index)) return ok({ ...task, status: 'completed', result });
		return ok({ ...task, status: 'processing', progress: progress(age / endOf(index)) });
	});
	const { clock, client } = gateway;
	const lastMs = failing?.count === COUNT ? failing.afterMs : endOf(COUNT - 1);
	const startedAt = clock.now();
	const submittedAt = (index: number) => startedAt + index * BETWEEN_SUBMISSIONS_MS;
	const coordinator = new PollCoordinator(clock);
	const options = { timeoutMs: 3_600_000, longestMs: 30_000 };
	const all = Array.from({ length: COUNT }, async (_, index): Promise<Task> => {
		await clock.sleep(index * BETWEEN_SUBMISSIONS_MS);
		const task: Task = {
			taskId: `task_${index}`,
			model: 'm',
			status: 'queued',
			progress: 0,
			urls: [],
			raw: {},
		};
		const poll = { ...options, submittedAt: submittedAt(index) };
		return await awaitTask(client, task, poll, coordinator);
	});
	const tasks = await clock.run(Promise.all(all));
	return {
		ended: tasks.filter(({ status }) => status !== 'processing').length,
		calls: 1 + polls / COUNT,
		lateMs: clock.now() - submittedAt(COUNT - 1) - lastMs,
	};
}

const mean = (numbers: number[]) =>
	numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The same random delays each time. */
async function withSeeds<Result>(run: () => Promise<Result>): Promise<Result[]> {
	const results: Result[] = [];
	for (let seed = 1; seed <= SEEDS; seed += 1) {
		jest.spyOn(Math, 'random').mockImplementation(createRandom(seed * 7_919));
		results.push(await run());
		jest.restoreAllMocks();
	}
	return results;
}

async function awaitBatches(batch: Batch) {
	const runs = await withSeeds(async () => await awaitBatch(batch));
	expect(runs.map(({ ended }) => ended)).toEqual(Array(SEEDS).fill(COUNT));
	return {
		calls: mean(runs.map(({ calls }) => calls)),
		lateMs: mean(runs.map(({ lateMs }) => lateMs)),
	};
}

describe.each([3_000, 30_000, 60_000])('a hundred tasks of %d ms', (durationMs) => {
	it.each(Object.entries(PROGRESS))(
		'cost at most three calls each and end 0.25 s + 5 %% late at most, with %s',
		async (_, progress) => {
			const { calls, lateMs } = await awaitBatches({ durationMs, progress });

			expect(calls).toBeLessThanOrEqual(3);
			expect(lateMs).toBeLessThanOrEqual(250 + 0.05 * durationMs);
		},
	);

	it.each([10, COUNT])('are seen to end in time where %d of them fail', async (count) => {
		const failing = { count, afterMs: durationMs / 2 };
		const { lateMs } = await awaitBatches({
			durationMs,
			failing,
			progress: PROGRESS['no progress'],
		});

		// Where all have failed, each of the first is polled in its own time.
		expect(lateMs).toBeLessThanOrEqual(500 + 0.05 * durationMs);
	});
});

it.each([10, 50])(
	'a hundred tasks of which the gateway runs %d at a time cost at most five calls each and end 0.25 s + 5 %% late at most',
	async (atOnce) => {
		const durationMs = 10_000;
		const progress = PROGRESS['no progress'];
		const { calls, lateMs } = await awaitBatches({ durationMs, progress, atOnce });

		expect(calls).toBeLessThanOrEqual(5);
		expect(lateMs).toBeLessThanOrEqual(250 + (0.05 * durationMs * COUNT) / atOnce);
	},
);

interface Mixed {
	/** When task `index` was made, in milliseconds from now. It is awaited then, at the soonest now. */
	madeAt?: (index: number) => number;
	/** When it ends. */
	endsAt: (index: number) => number;
	status?: 'completed' | 'failed';
	count?: number;
	timeoutMs?: number;
}

/** How late the end of each task was seen, in milliseconds; those that were not seen to end are left out. */
async function awaitMixed(batch: Mixed): Promise<number[]> {
	const { madeAt = () => 0, endsAt, status = 'completed', count = COUNT } = batch;
	let startedAt = 0;
	const gateway = createVirtualGateway(async ({ path }) => {
		await gateway.clock.sleep(POLL_MS);
		const index = Number(path.split('_').at(-1));
		const task = { task_id: `task_${index}`, model: 'm' };
		const hasEnded = gateway.clock.now() - startedAt >= endsAt(index);
		return ok(hasEnded ? { ...task, status, result } : { ...task, status: 'processing' });
	});
	const { clock, client } = gateway;
	startedAt = clock.now();
	const unknown = { model: 'm', status: 'queued' as const, progress: 0, urls: [], raw: {} };
	const options = { timeoutMs: batch.timeoutMs ?? 1_200_000, longestMs: 10_000 };
	const coordinator = new PollCoordinator(clock);
	const late: number[] = [];
	const all = Array.from({ length: count }, async (_, index) => {
		await clock.sleep(Math.max(0, madeAt(index)));
		const createdAt = new Date(startedAt + madeAt(index)).toISOString();
		const task = { ...unknown, taskId: `task_${index}`, createdAt };
		const ended = await awaitTask(client, task, options, coordinator);
		if (ended.status === status) late.push(clock.now() - startedAt - endsAt(index));
	});
	await clock.run(Promise.all(all));
	return late;
}

describe('a hundred tasks of ten minutes ago, of which all but the first end seven seconds later', () => {
	const old = {
		madeAt: () => -600_000,
		endsAt: (index: number) => (index ? 7_000 : Infinity),
	};

	it('are all seen to have ended, soon after one of the others is polled', async () => {
		for (const late of await withSeeds(async () => await awaitMixed(old))) {
			expect(late).toHaveLength(COUNT - 1);
			expect(Math.max(...late)).toBeLessThan(120_000);
		}
	});

	it('are polled once more at the end of Max Wait', async () => {
		const short = { ...old, timeoutMs: 8_000 };
		for (const late of await withSeeds(async () => await awaitMixed(short)))
			expect(late).toHaveLength(COUNT - 1);
	});
});

it.each<[string, number, Mixed]>([
	[
		'of a hundred the first hangs, and the others end after 30 s',
		5_000,
		{ endsAt: (index) => (index ? 30_000 : 1_100_000) },
	],
	[
		'of a hundred two hang, and the others fail after 30 s',
		10_000,
		{ endsAt: (index) => (index > 1 ? 30_000 : 1_100_000), status: 'failed' },
	],
])('the ends are seen in time where %s', async (_what, mostLateMs, batch) => {
	const runs = await withSeeds(async () => await awaitMixed(batch));

	expect(runs.map(({ length }) => length)).toEqual(Array(SEEDS).fill(COUNT));
	expect(mean(runs.map(mean))).toBeLessThan(mostLateMs);
});

it('a run ends in time where tasks of ten minutes are awaited, and others of 20 s come later, one each second', async () => {
	const madeAt = (index: number) => Math.max(0, index - 30) * 1_000;
	const isLong = (index: number) => index < 50;
	const endsAt = (index: number) => madeAt(index) + (isLong(index) ? 600_000 : 20_000);
	for (const late of await withSeeds(
		async () => await awaitMixed({ count: 150, madeAt, endsAt }),
	)) {
		expect(late).toHaveLength(150);
		// One of the long ones is seen last.
		expect(late[149]!).toBeLessThan(30_000);
	}
});
