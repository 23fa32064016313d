import type { Clock } from './context';
import { onAbort } from './abort';
import { stoppedError } from './errors';

/** Rejects at once when the user stops the execution. `onBegin` gets what ends the delay early. */
export async function delay(
	clock: Clock,
	ms: number,
	signal?: AbortSignal,
	onBegin?: (end: () => void) => void,
): Promise<void> {
	let [cancel, forget] = [() => {}, () => {}];
	const over = new Promise<void>((resolve, reject) => {
		onBegin?.(resolve);
		cancel = clock.after(ms, resolve, { keepsProcess: true });
		forget = onAbort(signal, () => reject(stoppedError()));
	});
	await over.finally(() => (cancel(), forget()));
}

/** Rejects when the user stops the execution, at once or after `grace.ms` milliseconds. */
export async function raceAbort<T>(
	work: Promise<T>,
	signal: AbortSignal | undefined,
	grace?: { clock: Clock; ms: number },
): Promise<T> {
	if (!signal) return await work;
	let [forget, cancel] = [() => {}, () => {}];
	const stopped = new Promise<never>((_, reject) => {
		const stop = () => reject(stoppedError());
		const onStop = () => void (grace ? (cancel = grace.clock.after(grace.ms, stop)) : stop());
		forget = onAbort(signal, onStop);
	});
	try {
		return await Promise.race([stopped, work]);
	} finally {
		forget();
		cancel();
	}
}

/** Rejects when the time is up first. */
export async function withTimeout<T>(
	clock: Clock,
	ms: number,
	work: Promise<T>,
	createError: () => Error,
): Promise<T> {
	let cancel = () => {};
	const timeout = new Promise<never>((_, reject) => {
		cancel = clock.after(ms, () => reject(createError()));
	});
	try {
		return await Promise.race([work, timeout]);
	} finally {
		cancel();
	}
}

/** Calls `onSilence` once when `touch` was not called for `ms` milliseconds. */
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
