const LONGEST_MS = 2_147_483_647;

/** The pending timers of one sandbox, so that all of them can be dropped at once. */
export class Timers {
	private readonly pending = new Set<NodeJS.Timeout>();

	/** Runs `job` after `ms`; what lies beyond the longest timer never runs. */
	schedule(ms: number, job: () => void): () => void {
		if (!(ms <= LONGEST_MS)) return () => undefined;
		const timer = setTimeout(
			() => {
				this.pending.delete(timer);
				job();
			},
			Math.max(0, ms),
		);
		this.pending.add(timer);
		return () => {
			clearTimeout(timer);
			this.pending.delete(timer);
		};
	}

	delay(ms: number): Promise<void> {
		return ms > 0 ? new Promise((done) => void this.schedule(ms, done)) : Promise.resolve();
	}

	clear(): void {
		for (const timer of this.pending) clearTimeout(timer);
		this.pending.clear();
	}
}
