import type { Clock } from '../context';
import { delay } from '../delay';

interface Waiting {
	submittedAt: number;
	wake: () => void;
}

/** What the tasks of one run learn from each other, model by model. All times in milliseconds. */
export class PollCoordinator {
	private readonly durations = new Map<string, number>();
	private readonly waiting = new Map<string, Set<Waiting>>();

	constructor(private readonly clock: Clock) {}

	/** How long the last task of the model to end took; undefined while none has. */
	expected(model: string): number | undefined {
		return this.durations.get(model);
	}

	/**
	 * Notes how long a task took. The first of its model to end wakes each other one when it is as
	 * old: tasks submitted together tend to end together. Only the first does, so that a batch is
	 * not polled again for every end in it.
	 */
	noteEnd(model: string, duration: number): void {
		const isFirst = !this.durations.has(model);
		this.durations.set(model, duration);
		if (!isFirst) return;
		for (const { submittedAt, wake } of this.waiting.get(model) ?? [])
			this.clock.after(Math.max(0, submittedAt + duration - this.clock.now()), wake);
	}

	/** Waits; ends early when another task wakes this one or the user stops the execution. */
	async wait(
		model: string,
		submittedAt: number,
		ms: number,
		signal: AbortSignal | undefined,
	): Promise<void> {
		const waiting = this.waiting.get(model) ?? new Set();
		this.waiting.set(model, waiting);
		let entry: Waiting | undefined;
		const woken = new Promise<void>((wake) => waiting.add((entry = { submittedAt, wake })));
		try {
			await Promise.race([delay(this.clock, ms, signal), woken]);
		} finally {
			waiting.delete(entry!);
		}
	}
}
