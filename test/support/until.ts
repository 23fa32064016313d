import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition is met, and fails after ten seconds. */
export async function until(isMet: () => boolean): Promise<void> {
	for (let tries = 0; tries < 1_000 && !isMet(); tries += 1) await sleep(10);
	expect(isMet()).toBe(true);
}
