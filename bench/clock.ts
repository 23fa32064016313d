import FakeTimers from '@sinonjs/fake-timers';

/**
 * Runs `work` with fake timers that jump from one timer to the next: minutes of waiting pass at once, and the
 * code that waits is the real one. Nothing else may run meanwhile.
 */
export async function withFakeTimers<Result>(work: () => Promise<Result>): Promise<Result> {
	const clock = FakeTimers.install({
		now: Date.now(),
		toFake: ['Date', 'setTimeout', 'clearTimeout'],
	});
	try {
		let isDone = false;
		const end = work().finally(() => (isDone = true));
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve));
			if (isDone) return await end;
			if (clock.countTimers() === 0) throw new Error('Nothing is left to wait for');
			await clock.nextAsync();
		}
	} finally {
		clock.uninstall();
	}
}
