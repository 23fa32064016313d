import seedrandom from 'seedrandom';
import { TimerQueue } from '../../nodes/n8n/timerQueue';
import { VirtualClock } from '../support/virtualClock';

let clock: VirtualClock;
let timers: number;
let queue: TimerQueue;
beforeEach(() => {
	clock = new VirtualClock();
	timers = 0;
	queue = new TimerQueue(
		() => clock.now(),
		(ms, callback) => {
			timers += 1;
			clock.after(ms, callback);
		},
	);
});

const pass = async (ms: number) => await clock.run(clock.sleep(ms));

it('calls back at the right time, in order, whatever was added, cancelled or added meanwhile', async () => {
	const random = seedrandom('timers');
	const startedAt = clock.now();
	const expected: [number, number][] = [];
	const called: [number, number][] = [];
	const add = (id: number, isNested = false) => {
		const ms = Math.floor(random() * 2_000);
		const cancel = queue.add(ms, () => {
			called.push([clock.now() - startedAt, id]);
			if (!isNested && id % 10 === 0) add(id + 1_000_000, true);
		});
		if (id % 3 === 0 && !isNested) cancel();
		else expected.push([clock.now() - startedAt + ms, id]);
	};
	for (let id = 0; id < 5_000; id += 1) add(id);
	await pass(10_000);

	expect(called.map(([at]) => at)).toEqual(called.map(([at]) => at).sort((a, b) => a - b));
	expect(called.sort()).toEqual(expected.sort());
});

it('needs one timer of the host for many that are cancelled', async () => {
	for (let count = 0; count < 1_000; count += 1) {
		queue.add(60_000, () => undefined)();
		await pass(1);
	}

	expect(timers).toBe(1);
});

it('keeps the order of those that are due together', async () => {
	const called: number[] = [];
	for (const id of [1, 2, 3, 4, 5]) queue.add(100, () => called.push(id));
	await pass(100);

	expect(called).toEqual([1, 2, 3, 4, 5]);
});

it('goes on when a callback throws', () => {
	const alarms: (() => void)[] = [];
	let now = 0;
	queue = new TimerQueue(
		() => now,
		(_, callback) => void alarms.push(callback),
	);
	const called: number[] = [];
	queue.add(10, () => {
		throw new Error('No');
	});
	queue.add(10, () => called.push(1));
	queue.add(20, () => called.push(2));
	now = 30;
	expect(() => alarms.shift()!()).toThrow('No');
	alarms.shift()?.();

	expect(called).toEqual([1, 2]);
});

it('does not hold on to what was cancelled', async () => {
	for (let count = 0; count < 10_000; count += 1) queue.add(3_600_000, () => undefined)();

	expect(queue['timers']).toEqual([]);
});
