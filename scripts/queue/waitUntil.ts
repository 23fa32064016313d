import { setTimeout as after } from 'node:timers/promises';

const TIMEOUT_MS = 240_000;

/** Waits until it is so, or patience ends. */
export async function waitUntil(
	isMet: () => boolean | Promise<boolean>,
	timeoutMs = TIMEOUT_MS,
): Promise<void> {
	for (const end = Date.now() + timeoutMs; Date.now() < end && !(await isMet());) await after(200);
}
