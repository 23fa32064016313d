import { nextPollDelay } from '../../../nodes/gateway/tasks/pollInterval';

interface Reporting {
	/** The progress that the gateway reports after a share of the task's time, 0-100. */
	progress: (share: number) => number;
	/** Milliseconds of the task for which the submission itself waited. */
	waited?: number;
	/** How long other tasks took at least, in milliseconds. */
	expected?: number;
}

/** Polls a task of this length as the node does, on a clock of its own: how late its end was seen, and after how many polls. */
function simulate(
	took: number,
	{ progress, waited = 0, expected }: Reporting,
): { late: number; polls: number } {
	if (waited >= took) return { late: 0, polls: 0 };
	const at = (ms: number) => (ms === 0 ? 0 : Math.floor(progress(ms / took)));
	let [elapsed, now, polls] = [waited, at(waited), 0];
	let [moves, progressSeenAt] = [0, 0];
	while (elapsed < took) {
		elapsed += nextPollDelay({
			elapsed,
			progress: now,
			progressSeenAt: moves > 1 ? progressSeenAt : undefined,
			expected,
			longest: 10_000,
		});
		if (at(elapsed) > now) [moves, progressSeenAt] = [moves + 1, elapsed];
		now = at(elapsed);
		polls += 1;
	}
	return { late: elapsed - took, polls };
}

/** Tasks a little shorter and longer than this, since the end of one may fall just before a poll. */
function around(seconds: number, reporting: Reporting) {
	const all = Array.from({ length: 200 }, (_, index) =>
		simulate(seconds * 1000 * (0.8 + index / 500), reporting),
	);
	return {
		late: all.reduce((sum, { late }) => sum + late, 0) / all.length,
		polls: Math.max(...all.map(({ polls }) => polls)),
	};
}

const steady: Reporting = { progress: (share) => share * 100 };
const silent: Reporting = { progress: () => 0 };
const stuck: Reporting = { progress: () => 10 };
/** What the node asks of the submission of a single task. */
const awaited = { waited: 50_000 };

describe.each([
	['reports its progress', steady],
	['reports nothing until it has ended', silent],
	['stays at ten percent', stuck],
] as const)('a task that %s', (_, reporting) => {
	it.each([2, 5, 10, 30, 60, 120, 300])(
		'of %d s is seen within a quarter second and 3 %% of its time',
		(seconds) => {
			expect(around(seconds, reporting).late).toBeLessThanOrEqual(250 + seconds * 30);
			expect(around(seconds, { ...reporting, ...awaited }).late).toBeLessThanOrEqual(
				250 + seconds * 30,
			);
		},
	);

	it('of a minute whose submission waits for it is polled no more than 15 times', () => {
		expect(around(60, { ...reporting, ...awaited }).polls).toBeLessThanOrEqual(15);
	});
});

it('polls a task of a minute that reports its progress no more than 15 times', () => {
	expect(around(60, steady).polls).toBeLessThanOrEqual(15);
});

describe('a task that reports nothing, where others of its model took nearly as long', () => {
	it.each([10, 30, 60, 120, 300])('of %d s is seen soon, after 15 polls at most', (seconds) => {
		// `around` takes 80 to 120 %.
		const { late, polls } = around(seconds, { ...silent, expected: seconds * 800 });
		expect(late).toBeLessThanOrEqual(seconds * 50);
		if (seconds <= 60) expect(polls).toBeLessThanOrEqual(15);
	});

	it('is seen before it has taken twice as long, where it takes less', () => {
		const { late, polls } = around(60, { ...silent, expected: 240_000 });
		expect(late).toBeLessThanOrEqual(30_000);
		expect(polls).toBeLessThanOrEqual(15);
	});
});

describe('the delay until the next poll', () => {
	const longest = 10_000;

	it('is short for a young task', () =>
		expect(nextPollDelay({ elapsed: 0, progress: 0, longest })).toBe(440));
	it('is longer for an old one', () =>
		expect(nextPollDelay({ elapsed: 60_000, progress: 0, longest })).toBe(3560));
	it('spans somewhat more than half of what the progress promises', () =>
		expect(nextPollDelay({ elapsed: 4000, progress: 50, progressSeenAt: 4000, longest })).toBe(
			2200,
		));
	describe('where others took longer', () => {
		const expected = 48_000;
		it.each([
			[0, 3_000],
			[3_000, 3_000],
			[6_000, 6_000],
			[30_000, longest],
			[40_000, 8_000],
			[47_900, 100],
		])('is at an age of %d ms %d', (elapsed, wanted) =>
			expect(nextPollDelay({ elapsed, progress: 0, expected, longest })).toBe(wanted),
		);
		it('lasts until then where others are polled in its stead, however long that is', () =>
			expect(nextPollDelay({ elapsed: 1_000, progress: 0, expected, slowdown: 5, longest })).toBe(
				47_500,
			));
	});
	describe('where others are polled in its stead', () => {
		it('is so many times as long', () =>
			expect(nextPollDelay({ elapsed: 0, progress: 0, slowdown: 100, longest })).toBe(44_000));
		it('does not follow the progress, which is polled where it is needed', () =>
			expect(
				nextPollDelay({
					elapsed: 4_000,
					progress: 50,
					progressSeenAt: 4_000,
					slowdown: 10,
					longest,
				}),
			).toBe(6_480));
		it('is so many times as long once it is overdue, too', () =>
			expect(
				nextPollDelay({ elapsed: 9_100, progress: 0, expected: 9_000, slowdown: 5, longest }),
			).toBe(2_000));
	});
	it('follows the progress rather than another task', () =>
		expect(
			nextPollDelay({
				elapsed: 4000,
				progress: 80,
				progressSeenAt: 4000,
				expected: 60_000,
				longest,
			}),
		).toBe(550));
	it('follows what others took at least rather than a progress that promises more', () =>
		expect(
			nextPollDelay({
				elapsed: 4000,
				progress: 10,
				progressSeenAt: 4000,
				expected: 8_000,
				longest,
			}),
		).toBe(4_000));
	it('is short for what is just overdue', () =>
		expect(nextPollDelay({ elapsed: 9100, progress: 0, expected: 9000, longest })).toBe(400));
	it('forgets another task that was much faster', () =>
		expect(nextPollDelay({ elapsed: 20_000, progress: 0, expected: 9000, longest })).toBe(1480));
	it('is never above its limit', () =>
		expect(nextPollDelay({ elapsed: 600_000, progress: 1, progressSeenAt: 600_000, longest })).toBe(
			longest,
		));
	it('keeps to a limit below its own shortest delay', () =>
		expect(nextPollDelay({ elapsed: 0, progress: 0, longest: 100 })).toBe(100));
	it('ignores progress that stands still', () =>
		expect(nextPollDelay({ elapsed: 10_000, progress: 10, longest })).toBe(960));
	it('ignores 100 of an unfinished task', () =>
		expect(nextPollDelay({ elapsed: 10_000, progress: 100, progressSeenAt: 10_000, longest })).toBe(
			960,
		));
});
