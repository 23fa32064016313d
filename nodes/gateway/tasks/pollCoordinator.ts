import { sleep } from 'n8n-workflow';
import { delay } from '../delay';

interface Resting {
	since: number;
	wake: () => void;
}

/** What the tasks of one run tell each other, model by model. All times in milliseconds. */
export class PollCoordinator {
	private readonly durations = new Map<string, number>();
	private readonly resting = new Map<string, Set<Resting>>();

	/** How long the last task of the model to end took; undefined while none has. */
	expected(model: string): number | undefined {
		return this.durations.get(model);
	}

	/**
	 * Notes how long a task took. The first of its model to end wakes each other one when it is as old: tasks
	 * that were sent together tend to end together. Only the first, so that a batch is not looked at for every end in it.
	 */
	ended(model: string, took: number): void {
		const isFirst = !this.durations.has(model);
		this.durations.set(model, took);
		if (!isFirst) return;
		for (const { since, wake } of this.resting.get(model) ?? [])
			void sleep(Math.max(0, since + took - Date.now())).then(wake);
	}

	/** Waits, for a task that began at `since`; ends early when a sibling wakes it or the user stops the run. */
	async wait(model: string, since: number, ms: number, signal?: AbortSignal): Promise<void> {
		const resting = this.resting.get(model) ?? new Set();
		this.resting.set(model, resting);
		let entry: Resting | undefined;
		const woken = new Promise<void>((wake) => resting.add((entry = { since, wake })));
		try {
			await Promise.race([delay(ms, signal), woken]);
		} finally {
			resting.delete(entry!);
		}
	}
}
