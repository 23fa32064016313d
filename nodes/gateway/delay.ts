import { sleep } from 'n8n-workflow';
import { GatewayError } from './errors';

/** What a stopped run ends with. */
export const stoppedError = (): GatewayError =>
	new GatewayError(
		'The run was stopped',
		'Tasks already submitted go on at the gateway; fetch them by their IDs.',
		{
			retry: false,
		},
	);

/** What the work comes to, or what `late` says when the time is up first; the work is not waited for then. */
export async function withTimeout<Done>(
	ms: number,
	work: Promise<Done>,
	late: () => Done,
): Promise<Done> {
	const clock = AbortSignal.timeout(Math.ceil(ms));
	let ring = () => {};
	const over = new Promise<Done>((resolve) => {
		ring = () => resolve(late());
		clock.addEventListener('abort', ring, { once: true });
	});
	try {
		return await Promise.race([work, over]);
	} finally {
		clock.removeEventListener('abort', ring);
	}
}

/** Waits, and ends at once when the user stops the run. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
	if (signal?.aborted) throw stoppedError();
	if (!signal) return await sleep(ms);
	let stop = () => {};
	const cancelled = new Promise<never>((_, reject) => {
		stop = () => reject(stoppedError());
		signal.addEventListener('abort', stop, { once: true });
	});
	try {
		await Promise.race([sleep(ms), cancelled]);
	} finally {
		signal.removeEventListener('abort', stop);
	}
}
