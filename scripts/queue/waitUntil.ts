import { setTimeout as after } from 'node:timers/promises';

const PATIENCE_MS = 240_000;

/** Waits until it is so, or patience ends. */
export async function until(met: () => boolean | Promise<boolean>): Promise<void> {
	for (const end = Date.now() + PATIENCE_MS; Date.now() < end && !(await met());) await after(200);
}
