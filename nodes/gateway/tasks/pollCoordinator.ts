import type { Clock } from '../context';
import { delay } from '../delay';

/** Tasks of a model that are polled while nothing is known of their duration. */
export const SCOUTS = 6;
/** Older tasks have fewer scouts: a late result matters less to a task of minutes. */
const ALL_SCOUTS_MS = 3_200;
/** All other tasks together are polled half as often as one scout, in case that one of them fails or ends early. */
const FOLLOWER_REST = 2;
/** With one, the end of a batch is seen later; with three, it costs up to a quarter more polls. */
const RESUMED = 2;

/** When a task has probably ended, given the duration of one that was submitted with it. */
export const probableEnd = (duration: number): number => duration * 1.01 + 20;

/** What the tasks of one run learn from each other, by model. */
export class PollCoordinator {
	private readonly models = new Map<string, AwaitedModel>();

	/** `known`: durations of earlier runs. */
	constructor(
		private readonly clock: Clock,
		private readonly known: ReadonlyMap<string, number> = new Map(),
	) {}

	/** `submittedAt` in Unix milliseconds. */
	add(model: string, submittedAt: number): AwaitedTask {
		const awaited = this.models.get(model) ?? { known: this.known.get(model), tasks: new Set() };
		this.models.set(model, awaited);
		const task = new AwaitedTask(this.clock, awaited, submittedAt);
		awaited.tasks.add(task);
		return task;
	}

	/** The shortest duration in earlier runs, in milliseconds. */
	expected(model: string): number | undefined {
		return this.known.get(model);
	}

	/** The durations of this run, for later ones. */
	get learned(): Map<string, number> {
		const all = [...this.models].map(([model, { learned }]) => [model, learned] as const);
		return new Map(all.filter((pair): pair is [string, number] => pair[1] !== undefined));
	}
}

/** The tasks of one model, the oldest first. */
interface AwaitedModel {
	readonly tasks: Set<AwaitedTask>;
	/** The shortest duration in earlier runs. */
	readonly known: number | undefined;
	/** The shortest duration seen in this run. */
	learned?: number;
}

/** A task that is awaited with others of its model. All times in milliseconds. */
export class AwaitedTask {
	/** Ends its wait. */
	resume?: () => void;

	constructor(
		private readonly clock: Clock,
		private readonly model: AwaitedModel,
		readonly submittedAt: number,
	) {}

	/** The shortest duration seen in this run; for a scout, in earlier runs too. */
	get expected(): number | undefined {
		const { learned, known } = this.model;
		return this.slowdown ? learned : (learned ?? known);
	}

	/** By what factor its delay is longer than that of a scout. 0 for a scout: the oldest tasks are scouts. */
	get slowdown(): number {
		const { tasks } = this.model;
		const age = this.clock.now() - this.submittedAt;
		const scouts = Math.max(1, SCOUTS * Math.min(1, ALL_SCOUTS_MS / age) ** 2);
		let rank = 0;
		for (const other of tasks) {
			if (other === this) return 0;
			if ((rank += 1) >= scouts) break;
		}
		return tasks.size * FOLLOWER_REST;
	}

	/** Waits. Ends early when this task has probably ended, and when the user stops the execution. */
	async wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
		const over = delay(this.clock, ms, signal, (end) => (this.resume = end));
		await over.finally(() => delete this.resume);
	}

	/** The first completed task of a model resumes the others at its age: tasks submitted together tend to end together. */
	complete(): void {
		const { model, clock } = this;
		const isFirst = model.learned === undefined;
		const now = clock.now();
		const duration = now - this.submittedAt;
		model.learned = Math.min(duration, model.learned ?? duration);
		if (!isFirst) return;
		for (const { resume, submittedAt } of model.tasks) {
			// Only this wait: a later one has its own reason.
			if (resume) clock.after(Math.max(0, submittedAt + probableEnd(duration) - now), resume);
		}
	}

	/**
	 * The task is not awaited any more. It resumes the two oldest others that are old enough. Where the gateway
	 * runs a few tasks at a time, these have taken its place. Where one fails, others may have failed as well.
	 */
	leave(): void {
		const { tasks, learned = 0 } = this.model;
		tasks.delete(this);
		const latest = this.clock.now() - learned;
		let left = RESUMED;
		for (const other of tasks) {
			const { resume } = other;
			if (!resume || other.submittedAt > latest) continue;
			delete other.resume;
			resume();
			if ((left -= 1) === 0) return;
		}
	}
}
