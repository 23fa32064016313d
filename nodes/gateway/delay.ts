import type { ByteStream, Clock } from './context';
import { stoppedError } from './errors';

/** Waits, and rejects at once when the user stops the execution. */
export async function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
	if (signal?.aborted) throw stoppedError();
	if (!signal) return await clock.sleep(ms);
	await raceAbort(clock.sleep(ms), signal);
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

/**
 * The pieces of a stream as they come; throws what `onSilence` gives when none comes for `ms`
 * milliseconds. The HTTP client stops counting once a body has begun, so a stalled stream would
 * never end. However it ends, the connection is let go. A destroyed stream may report nothing while
 * its source is stalled, so nothing waits for it.
 */
export async function* withSilenceLimit(
	clock: Clock,
	stream: ByteStream,
	ms: number,
	onSilence: () => Error,
): AsyncGenerator<Uint8Array> {
	const pieces = stream[Symbol.asyncIterator]();
	let watch: ReturnType<typeof watchSilence> | undefined;
	const silence = new Promise<never>((_, reject) => {
		watch = watchSilence(clock, ms, () => reject(onSilence()));
	});
	silence.catch(() => undefined);
	try {
		for (;;) {
			const next = pieces.next();
			next.catch(() => undefined);
			const { done, value } = await Promise.race([next, silence]);
			if (done) return;
			watch!.touch();
			yield value;
		}
	} finally {
		watch!.stop();
		stream.destroy();
	}
}
