/**
 * Runs `work` by a clock that jumps from one timer to the next: minutes of waiting pass at once, and the
 * code that waits is the real one. Nothing else may run meanwhile.
 */
export async function withFakeTimers<Done>(work: () => Promise<Done>): Promise<Done> {
	const real = { now: Date.now, setTimeout: globalThis.setTimeout };
	const timers: { at: number; run: () => void }[] = [];
	let now = real.now();
	let isDone = false;
	Date.now = () => now;
	globalThis.setTimeout = ((run: () => void, ms = 0) =>
		timers.push({ at: now + ms, run })) as unknown as typeof setTimeout;
	try {
		const end = work().finally(() => (isDone = true));
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve));
			if (isDone) return await end;
			const next = timers.sort((a, b) => a.at - b.at).shift();
			if (!next) throw new Error('Nothing is left to wait for');
			now = next.at;
			next.run();
		}
	} finally {
		Object.assign(Date, { now: real.now });
		globalThis.setTimeout = real.setTimeout;
	}
}
