import { PollCoordinator } from '../../../nodes/gateway/tasks/pollCoordinator';
import { catchError } from '../../support/gatewayClient';
import { VirtualClock } from '../../support/virtualClock';

const LONG_MS = 60_000;

let clock: VirtualClock;
let coordinator: PollCoordinator;
beforeEach(() => {
	clock = new VirtualClock();
	coordinator = new PollCoordinator(clock);
});

/** Waits as a task of this age does; gives the milliseconds that it took. */
async function waitAtAge(model: string, ageMs: number, signal?: AbortSignal): Promise<number> {
	const startedAt = clock.now();
	await coordinator.wait(model, startedAt - ageMs, LONG_MS, signal);
	return clock.now() - startedAt;
}

it('ends the wait of each task of a model when it is as old as the first that ended, and no other', async () => {
	const waits = [waitAtAge('a', 5_000), waitAtAge('a', 1_000), waitAtAge('b', 5_000)];
	coordinator.noteEnd('a', 5_000);

	expect(await clock.run(Promise.all(waits))).toEqual([0, 4_000, LONG_MS]);
});

it('does not end the wait of a batch for every end in it', async () => {
	coordinator.noteEnd('a', 5_000);
	const wait = waitAtAge('a', 9_000);
	coordinator.noteEnd('a', 6_000);

	expect(await clock.run(wait)).toBe(LONG_MS);
	expect(coordinator.expected('a')).toBe(6_000);
});

it('knows no duration of a model before one of its tasks has ended', () => {
	coordinator.noteEnd('a', 5_000);

	expect(coordinator.expected('b')).toBeUndefined();
});

it('ends a wait at once when the user stops the execution', async () => {
	const user = new AbortController();
	const error = catchError(waitAtAge('a', 0, user.signal));
	clock.after(700, () => user.abort());

	expect(await clock.run(error)).toMatchObject({ code: 'stopped' });
	expect(clock.now()).toBe(Date.parse('2026-11-22T00:00:00Z') + 700);
});
