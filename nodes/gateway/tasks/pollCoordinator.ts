import type { Clock } from '../context';
import { delay } from '../delay';

/** Tasks of a model that are watched, i.e. polled while nothing is known of their duration. */
export const WATCHED = 4;
/** Of older tasks, fewer are watched: a late result matters less to a task of minutes. */
const ALL_WATCHED_MS = 3_200;
/** All other tasks together are polled a fifth as often as a watched one, in case one of them fails or ends early. */
export const OTHERS_REST = 5;
/** With one, the end of a batch is seen later; with three, it costs up to a quarter more polls. */
const RESUMED = 2;

/** When a task has probably ended, given the duration of one that was submitted with it. */
export const probableEnd = (duration: number): number => duration * 1.01 + 20;

/** What the tasks of one run learn from each other, by model. Durations in milliseconds. */
export class PollCoordinator {
	/** By model, the oldest first. */
	private readonly tasks = new Map<string, Set<AwaitedTask>>();
	/** The shortest durations seen in this run. */
	readonly learned = new Map<string, number>();

	/** `known`: the shortest durations in earlier runs. */
	constructor(
		readonly clock: Clock,
		readonly known: ReadonlyMap<string, number> = new Map(),
	) {}

	/** `submittedAt` in Unix milliseconds. */
	add(model: string, submittedAt: number): AwaitedTask {
		const tasks = this.tasks.get(model) ?? new Set();
		this.tasks.set(model, tasks);
		const task = new AwaitedTask(this, model, tasks, submittedAt);
		tasks.add(task);
		return task;
	}
}

/** A task that is awaited with others of its model. All times in milliseconds. */
export class AwaitedTask {
	/** Ends its wait. */
	resume?: () => void;
	/** Others were watched when its wait began. */
	private waitsForOthers = false;

	/** `tasks`: those of its model, itself included. */
	constructor(
		private readonly coordinator: PollCoordinator,
		private readonly model: string,
		private readonly tasks: Set<AwaitedTask>,
		readonly submittedAt: number,
	) {}

	/** The shortest duration seen in this run; for a watched task, in earlier runs too. */
	get expected(): number | undefined {
		const { learned, known } = this.coordinator;
		const seen = learned.get(this.model);
		return this.slowdown ? seen : (seen ?? known.get(this.model));
	}

	/** By what factor its delay is longer than that of a watched task. 0 if it is watched, as the oldest tasks are. */
	get slowdown(): number {
		const age = this.coordinator.clock.now() - this.submittedAt;
		const watched = Math.max(1, WATCHED * Math.min(1, ALL_WATCHED_MS / age) ** 2);
		let rank = 0;
		for (const other of this.tasks) {
			if (other === this) return 0;
			if ((rank += 1) >= watched) break;
		}
		return this.tasks.size * OTHERS_REST;
	}

	/** Waits. Ends early when this task has probably ended, and when the user stops the execution. */
	async wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
		this.waitsForOthers = this.slowdown > 0;
		const { clock } = this.coordinator;
		const over = delay({ clock, signal }, ms, (end) => (this.resume = end));
		await over.finally(() => delete this.resume);
	}

	/** The first completed task of a model resumes the others at its age: tasks submitted together tend to end together. */
	complete(): void {
		const { clock, learned } = this.coordinator;
		const now = clock.now();
		const duration = now - this.submittedAt;
		const seen = learned.get(this.model);
		learned.set(this.model, Math.min(duration, seen ?? duration));
		if (seen !== undefined) return;
		for (const { resume, submittedAt } of this.tasks) {
			// Only this wait: a later one has its own reason.
			if (resume) clock.after(Math.max(0, submittedAt + probableEnd(duration) - now), resume);
		}
	}

	/**
	 * The task is not awaited any more. It resumes the two oldest others that are old enough. Where the gateway
	 * runs a few tasks at a time, these have taken its place. Where one fails, others may have failed as well, so
	 * those that are polled anyway are left out while nothing is known of their duration.
	 */
	leave(): void {
		const { clock, learned } = this.coordinator;
		this.tasks.delete(this);
		const shortest = learned.get(this.model);
		const latest = clock.now() - (shortest ?? 0);
		let left = RESUMED;
		for (const other of this.tasks) {
			const { resume } = other;
			if (!resume || other.submittedAt > latest) continue;
			if (shortest === undefined && !other.waitsForOthers) continue;
			delete other.resume;
			resume();
			if ((left -= 1) === 0) return;
		}
	}
}
