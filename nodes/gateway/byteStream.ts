import { onAbort } from './abort';
import type { ByteStream, Clock } from './context';
import { stoppedError } from './errors';

export interface ReadOptions {
	/** Longest time between two pieces, in milliseconds. Read again after each piece that ends the silence. */
	getSilenceMs: () => number;
	/** The error after so many milliseconds. */
	onSilence: (ms: number) => Error;
	/** Whether a piece ends the silence. Default: each does. */
	hasData?: (piece: Uint8Array) => boolean;
	/** Longest time for the whole stream, in milliseconds, and the error after it. */
	longest?: { ms: number; onEnd: () => Error };
	signal?: AbortSignal;
}

/**
 * Reads a stream with a limit on silence. The HTTP layer stops counting once a body has begun, so a stalled
 * stream would never end. Closes the connection unless the body was read to its end.
 */
export async function* readStream(
	clock: Clock,
	stream: ByteStream,
	{ getSilenceMs, onSilence, hasData, longest, signal }: ReadOptions,
): AsyncGenerator<Uint8Array> {
	const iterator = stream[Symbol.asyncIterator]();
	let reason: Error | undefined;
	let isWhole = false;
	let rejectPending: (reason: Error) => void = () => {};
	const interrupt = (error: Error) => rejectPending((reason = error));
	let endWatch = () => {};
	const watchSilence = () => {
		const ms = getSilenceMs();
		endWatch = clock.after(ms, () => interrupt(onSilence(ms)));
	};
	watchSilence();
	const cancel = longest && clock.after(longest.ms, () => interrupt(longest.onEnd()));
	const forget = onAbort(signal, () => interrupt(stoppedError()));
	try {
		for (;;) {
			const { done, value } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
				if (reason) return reject(reason);
				rejectPending = reject;
				iterator.next().then(resolve, reject);
			});
			if (done) {
				isWhole = true;
				return;
			}
			const endsSilence = !hasData || hasData(value);
			if (endsSilence) endWatch();
			yield value;
			if (endsSilence) watchSilence();
		}
	} finally {
		endWatch();
		cancel?.();
		forget();
		if (!isWhole) stream.destroy();
	}
}

/** A rate is averaged over this time, in milliseconds. The first pieces are not judged. */
const RATE_WINDOW_MS = 30_000;

/** The same pieces. Ends with `onSlow` when fewer bytes a second arrive. */
export async function* assertRate(
	clock: Clock,
	pieces: AsyncIterable<Uint8Array>,
	leastRate: number,
	onSlow: () => Error,
): AsyncGenerator<Uint8Array> {
	let [bytes, since] = [Infinity, clock.now()];
	for await (const piece of pieces) {
		bytes += piece.length;
		const ms = clock.now() - since;
		if (ms >= RATE_WINDOW_MS) {
			if (bytes < (leastRate * ms) / 1000) throw onSlow();
			[bytes, since] = [0, clock.now()];
		}
		yield piece;
	}
}
