import type { Clock, GatewayContext } from './context';
import { onAbort } from './abort';
import { stoppedError } from './errors';

/** Rejects at once when the user stops the execution. `onBegin` gets what ends the delay early. */
export async function delay(
	{ clock, signal }: Pick<GatewayContext, 'clock' | 'signal'>,
	ms: number,
	onBegin?: (end: () => void) => void,
): Promise<void> {
	let cancel = () => {};
	const over = new Promise<void>((resolve) => {
		onBegin?.(resolve);
		cancel = clock.after(ms, resolve, { keepsProcess: true });
	});
	await raceAbort(over, signal).finally(cancel);
}

/** Settles as `work`, unless `begin` calls its `reject` first. What `begin` returns is called at the end. */
async function race<T>(
	work: Promise<T>,
	begin: (reject: (reason: Error) => void) => () => void,
): Promise<T> {
	let end = () => {};
	const rejected = new Promise<never>((_, reject) => {
		end = begin(reject);
	});
	return await Promise.race([rejected, work]).finally(end);
}

/** Rejects when the user stops the execution, at once or after `grace.ms` milliseconds. */
export const raceAbort = async <T>(
	work: Promise<T>,
	signal: AbortSignal | undefined,
	grace?: { clock: Clock; ms: number },
): Promise<T> =>
	await race(work, (reject) => {
		let cancel = () => {};
		const stop = () => reject(stoppedError());
		const onStop = () => void (grace ? (cancel = grace.clock.after(grace.ms, stop)) : stop());
		const forget = onAbort(signal, onStop);
		return () => (forget(), cancel());
	});

/** Rejects when the time is up first. */
export const withTimeout = async <T>(
	clock: Clock,
	ms: number,
	work: Promise<T>,
	createError: () => Error,
): Promise<T> => await race(work, (reject) => clock.after(ms, () => reject(createError())));
