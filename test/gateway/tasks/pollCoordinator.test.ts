import {
	OTHERS_REST,
	PollCoordinator,
	WATCHED,
	type AwaitedTask,
} from '../../../nodes/gateway/tasks/pollCoordinator';
import { catchError } from '../../support/gatewayClient';
import { VirtualClock } from '../../support/virtualClock';

const LONG_MS = 60_000;

let clock: VirtualClock;
let coordinator: PollCoordinator;
beforeEach(() => {
	clock = new VirtualClock();
	coordinator = new PollCoordinator(clock);
});

const addAged = (model: string, ageMs: number) => coordinator.add(model, clock.now() - ageMs);
/** A task of this age is completed. */
function complete(model: string, ageMs: number): void {
	const task = addAged(model, ageMs);
	task.complete();
	task.leave();
}

/** What is expected of one more task of the model. */
function expectedOf(model: string): number | undefined {
	const task = addAged(model, 0);
	const { expected } = task;
	task.leave();
	return expected;
}

/** Waits as a task of this age does; gives the milliseconds that it took. */
async function waitAtAge(model: string, ageMs: number, signal?: AbortSignal): Promise<number> {
	const startedAt = clock.now();
	await addAged(model, ageMs).wait(LONG_MS, signal);
	return clock.now() - startedAt;
}

it('ends the wait of each task of a model a little after it is as old as the first that was completed, and no other', async () => {
	const waits = [waitAtAge('a', 8_000), waitAtAge('a', 1_000), waitAtAge('b', 5_000)];
	complete('a', 5_000);

	expect(await clock.run(Promise.all(waits))).toEqual([0, 4_070, LONG_MS]);
});

it('ends the waits of the two oldest for each further end, if others took no longer than they have', async () => {
	complete('a', 5_000);
	const waits = [9_000, 8_000, 7_000, 4_000].map(async (ageMs) => await waitAtAge('a', ageMs));
	complete('a', 6_000);

	expect(await clock.run(Promise.all(waits))).toEqual([0, 0, LONG_MS, LONG_MS]);
});

it('ends a wait at once when the user stops the execution', async () => {
	const user = new AbortController();
	const error = catchError(waitAtAge('a', 0, user.signal));
	clock.after(700, () => user.abort());

	expect(await clock.run(error)).toMatchObject({ code: 'stopped' });
	expect(clock.now()).toBe(Date.parse('2026-11-22T00:00:00Z') + 700);
});

describe('what a model takes', () => {
	it('is unknown before one of its tasks is completed', () => {
		complete('a', 5_000);

		expect(expectedOf('b')).toBeUndefined();
	});

	it('is the least that was seen', () => {
		complete('a', 6_000);
		complete('a', 5_000);
		complete('a', 7_000);

		expect(expectedOf('a')).toBe(5_000);
	});

	it('is at first what it took in earlier executions', () => {
		coordinator = new PollCoordinator(clock, new Map([['a', 9_000]]));
		expect(expectedOf('a')).toBe(9_000);
		expect(coordinator.learned).toEqual(new Map());
		complete('a', 5_000);

		expect(expectedOf('a')).toBe(5_000);
		expect(coordinator.learned).toEqual(new Map([['a', 5_000]]));
	});
});

describe('many tasks of one model', () => {
	const add = (count: number): AwaitedTask[] =>
		Array.from({ length: count }, () => addAged('a', 0));
	const slowdown = (tasks: AwaitedTask[]) => tasks.map((task) => task.slowdown);

	it('are all polled on their own account while they are few and young', () => {
		expect(slowdown(add(WATCHED))).toEqual(Array(WATCHED).fill(0));
	});

	it('are polled more rarely than the oldest', () => {
		expect(slowdown(add(10 * WATCHED))).toEqual([
			...Array<number>(WATCHED).fill(0),
			...Array<number>(9 * WATCHED).fill(10 * WATCHED * OTHERS_REST),
		]);
	});

	it('watch others when the oldest are not awaited any more', () => {
		const tasks = add(4 * WATCHED);
		for (const task of tasks.slice(0, WATCHED)) task.leave();

		expect(slowdown(tasks.slice(WATCHED))).toEqual([
			...Array<number>(WATCHED).fill(0),
			...Array<number>(2 * WATCHED).fill(3 * WATCHED * OTHERS_REST),
		]);
	});

	it.each([
		[0, WATCHED],
		[3_000, WATCHED],
		[5_000, 2],
		[10_000, 1],
		[600_000, 1],
	])('are at an age of %d ms watched: %d', (ageMs, count) => {
		const tasks = Array.from({ length: 50 }, () => addAged('a', ageMs));

		expect(slowdown(tasks)).toEqual([
			...Array<number>(count).fill(0),
			...Array<number>(50 - count).fill(50 * OTHERS_REST),
		]);
	});

	it('have the two oldest polled at once when one ends without showing how long they take', async () => {
		const tasks = Array.from({ length: 20 }, () => addAged('a', 60_000));
		const startedAt = clock.now();
		const waits = tasks.map(async (task) => {
			await task.wait(LONG_MS, undefined);
			return clock.now() - startedAt;
		});
		clock.after(700, () => tasks[0]!.leave());

		expect(await clock.run(Promise.all(waits))).toEqual([
			...[LONG_MS, 700, 700],
			...Array<number>(17).fill(LONG_MS),
		]);
	});

	it('are not polled for what earlier executions took, which the watched ones test', () => {
		coordinator = new PollCoordinator(clock, new Map([['a', 3_000]]));
		const tasks = add(2 * WATCHED);
		const expected = () => tasks.map((task) => task.expected);
		const alike = (ms: number | undefined) => Array<number | undefined>(WATCHED).fill(ms);
		expect(expected()).toEqual([...alike(3_000), ...alike(undefined)]);
		complete('a', 60_000);

		expect(expected()).toEqual([...alike(60_000), ...alike(60_000)]);
	});

	it('do not count those of other models', () => {
		const tasks = add(WATCHED);
		for (let count = 0; count < 100; count += 1) addAged('b', 0);

		expect(slowdown(tasks)).toEqual(Array(WATCHED).fill(0));
	});
});
