import { nextPollDelay } from '../../../nodes/gateway/tasks/pollInterval';

interface Told {
	/** What the gateway says of a task after a share of its time, 0-100. */
	progress: (share: number) => number;
	/** Milliseconds of the task for which the submission itself waited. */
	waited?: number;
}

/** Looks at a task of this length as the node does, by the clock of the pace alone: when its end was seen, and how many looks that took. */
function watched(took: number, { progress, waited = 0 }: Told): { late: number; looks: number } {
	if (waited >= took) return { late: 0, looks: 0 };
	const at = (ms: number) => (ms === 0 ? 0 : Math.floor(progress(ms / took)));
	let [elapsed, now, looks] = [waited, at(waited), 0];
	let [moves, seenAt] = [0, 0];
	while (elapsed < took) {
		elapsed += nextPollDelay({
			elapsed,
			progress: now,
			seenAt: moves > 1 ? seenAt : undefined,
			longest: 10_000,
		});
		if (at(elapsed) > now) [moves, seenAt] = [moves + 1, elapsed];
		now = at(elapsed);
		looks += 1;
	}
	return { late: elapsed - took, looks };
}

/** Tasks a little shorter and longer than this, since the end of one may fall just before a look. */
function around(seconds: number, told: Told) {
	const all = Array.from({ length: 200 }, (_, index) =>
		watched(seconds * 1000 * (0.8 + index / 500), told),
	);
	return {
		late: all.reduce((sum, { late }) => sum + late, 0) / all.length,
		looks: Math.max(...all.map(({ looks }) => looks)),
	};
}

const steady: Told = { progress: (share) => share * 100 };
const silent: Told = { progress: () => 0 };
const stuck: Told = { progress: () => 10 };
/** What the node asks of the submission of a single task. */
const held = { waited: 50_000 };

describe.each([
	['says how far it is', steady],
	['says nothing until it has ended', silent],
	['stays at ten percent', stuck],
] as const)('a task that %s', (_, told) => {
	it.each([2, 5, 10, 30, 60, 120, 300])(
		'of %d s is seen within a quarter second and 3 %% of its time',
		(seconds) => {
			expect(around(seconds, told).late).toBeLessThanOrEqual(250 + seconds * 30);
			expect(around(seconds, { ...told, ...held }).late).toBeLessThanOrEqual(250 + seconds * 30);
		},
	);

	it('of a minute whose submission waits for it is looked at no more than 15 times', () => {
		expect(around(60, { ...told, ...held }).looks).toBeLessThanOrEqual(15);
	});
});

it('looks no more than 15 times at a task of a minute that says how far it is', () => {
	expect(around(60, steady).looks).toBeLessThanOrEqual(15);
});

describe('when to look again', () => {
	const longest = 10_000;

	it('looks soon at a young task', () =>
		expect(nextPollDelay({ elapsed: 0, progress: 0, longest })).toBe(440));
	it('looks more rarely at an old one', () =>
		expect(nextPollDelay({ elapsed: 60_000, progress: 0, longest })).toBe(3560));
	it('sleeps through most of what the progress promises', () =>
		expect(nextPollDelay({ elapsed: 4000, progress: 50, seenAt: 4000, longest })).toBe(2200));
	it('sleeps through most of what a sibling took', () =>
		expect(nextPollDelay({ elapsed: 2000, progress: 0, expected: 12_000, longest })).toBe(5500));
	it('trusts the progress more than a sibling', () =>
		expect(
			nextPollDelay({ elapsed: 4000, progress: 80, seenAt: 4000, expected: 60_000, longest }),
		).toBe(550));
	it('looks often at what is just overdue', () =>
		expect(nextPollDelay({ elapsed: 9100, progress: 0, expected: 9000, longest })).toBe(400));
	it('forgets a sibling that was much faster', () =>
		expect(nextPollDelay({ elapsed: 20_000, progress: 0, expected: 9000, longest })).toBe(1480));
	it('never sleeps longer than it may', () =>
		expect(nextPollDelay({ elapsed: 600_000, progress: 1, seenAt: 600_000, longest })).toBe(
			longest,
		));
	it('keeps to a limit below its own shortest pause', () =>
		expect(nextPollDelay({ elapsed: 0, progress: 0, longest: 100 })).toBe(100));
	it('takes progress that stands still for no news', () =>
		expect(nextPollDelay({ elapsed: 10_000, progress: 10, longest })).toBe(960));
	it('takes 100 of an unfinished task for no news', () =>
		expect(nextPollDelay({ elapsed: 10_000, progress: 100, seenAt: 10_000, longest })).toBe(960));
});
