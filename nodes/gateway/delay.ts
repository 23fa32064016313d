import type { Clock } from './context';
import { stoppedError } from './errors';

/** Waits, and rejects at once when the user stops the execution. */
export async function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
	if (signal?.aborted) throw stoppedError();
	if (!signal) return await clock.sleep(ms);
	// A signal of its own: a timer that outlived the run would keep the process for up to a minute.
	const timer = new AbortController();
	try {
		await raceAbort(clock.sleep(ms, timer.signal), signal);
	} finally {
		timer.abort();
	}
}

/** What the work comes to; rejects at once when the user stops the execution meanwhile. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	if (!signal) return await work;
	if (signal.aborted) throw stoppedError();
	let stop = () => {};
	const stopped = new Promise<never>((_, reject) => {
		stop = () => reject(stoppedError());
		signal.addEventListener('abort', stop, { once: true });
	});
	try {
		return await Promise.race([work, stopped]);
	} finally {
		signal.removeEventListener('abort', stop);
	}
}

/** What the work comes to, or what `onTimeout` gives or throws when the time is up first. */
export async function withTimeout<T>(
	clock: Clock,
	ms: number,
	work: Promise<T>,
	onTimeout: () => T,
): Promise<T> {
	let cancel = () => {};
	const timeout = new Promise<T>((resolve, reject) => {
		cancel = clock.after(ms, () => {
			try {
				resolve(onTimeout());
			} catch (error) {
				reject(error);
			}
		});
	});
	try {
		return await Promise.race([work, timeout]);
	} finally {
		cancel();
	}
}

/** Calls `onSilence` once when `touch` was not called for `ms` milliseconds. One timer at a time. */
export function watchSilence(clock: Clock, ms: number, onSilence: () => void) {
	let lastAt = clock.now();
	let cancel = () => {};
	const arm = (left: number) => {
		cancel = clock.after(left, () => {
			const rest = lastAt + ms - clock.now();
			if (rest > 0) arm(rest);
			else onSilence();
		});
	};
	arm(ms);
	return { touch: () => void (lastAt = clock.now()), stop: () => cancel() };
}
