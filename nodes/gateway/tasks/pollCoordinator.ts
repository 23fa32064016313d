import type { Clock } from '../context';
import { delay } from '../delay';

interface Waiting {
	submittedAt: number;
	resume: () => void;
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
	 * Notes how long a task took. The first of its model to end resumes each other one when it is as
	 * old: tasks submitted together tend to end together. Only the first does, so that a batch is
	 * not polled again for every end in it.
	 */
	noteEnd(model: string, duration: number): void {
		const isFirst = !this.durations.has(model);
		this.durations.set(model, duration);
		if (!isFirst) return;
		for (const { submittedAt, resume } of this.waiting.get(model) ?? [])
			this.clock.after(Math.max(0, submittedAt + duration - this.clock.now()), resume);
	}

	/** Waits; ends early when another task resumes this one or the user stops the execution. */
	async wait(
		model: string,
		submittedAt: number,
		ms: number,
		signal: AbortSignal | undefined,
	): Promise<void> {
		const waiting = this.waiting.get(model) ?? new Set();
		this.waiting.set(model, waiting);
		let pending: Waiting | undefined;
		const resumed = new Promise<void>((resume) => waiting.add((pending = { submittedAt, resume })));
		try {
			await Promise.race([delay(this.clock, ms, signal), resumed]);
		} finally {
			waiting.delete(pending!);
		}
	}
}
