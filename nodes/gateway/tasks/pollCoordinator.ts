import { onAbort } from '../abort';
import type { Clock } from '../context';
import { stoppedError } from '../errors';

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
		return this.modelOf(model).add(submittedAt);
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

	private modelOf(model: string): AwaitedModel {
		const found = this.models.get(model) ?? new AwaitedModel(this.clock, this.known.get(model));
		this.models.set(model, found);
		return found;
	}
}

/** A task that is awaited with others of its model. All times in milliseconds. */
export class AwaitedTask {
	/** Ends its wait. */
	resume?: () => void;

	constructor(
		private readonly model: AwaitedModel,
		readonly submittedAt: number,
	) {}

	/** The shortest duration seen in this run; for a scout, in earlier runs too. */
	get expected(): number | undefined {
		return this.slowdown ? this.model.learned : this.model.expected;
	}

	/** By what factor its delay is longer than that of a scout. 0 for a scout. */
	get slowdown(): number {
		return this.model.slowdownOf(this);
	}

	/** Waits. Ends early when this task has probably ended, and when the user stops the execution. */
	async wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
		let [cancel, forget] = [() => {}, () => {}];
		try {
			await new Promise<void>((resolve, reject) => {
				this.resume = resolve;
				cancel = this.model.clock.after(ms, resolve, { keepsProcess: true });
				forget = onAbort(signal, () => reject(stoppedError()));
			});
		} finally {
			cancel();
			forget();
			delete this.resume;
		}
	}

	/** The task is completed. */
	complete(): void {
		this.model.complete(this.model.clock.now() - this.submittedAt);
	}

	/** The task is not awaited any more. */
	leave(): void {
		this.model.leave(this);
	}
}

/** The tasks of one model. */
class AwaitedModel {
	private readonly tasks = new Set<AwaitedTask>();
	/** The shortest duration seen in this run. */
	learned?: number;

	constructor(
		readonly clock: Clock,
		private readonly known: number | undefined,
	) {}

	get expected(): number | undefined {
		return this.learned ?? this.known;
	}

	add(submittedAt: number): AwaitedTask {
		const task = new AwaitedTask(this, submittedAt);
		this.tasks.add(task);
		return task;
	}

	/** The oldest tasks are scouts. */
	slowdownOf(task: AwaitedTask): number {
		const age = this.clock.now() - task.submittedAt;
		const scouts = Math.max(1, SCOUTS * Math.min(1, ALL_SCOUTS_MS / age) ** 2);
		let rank = 0;
		for (const other of this.tasks) {
			if (other === task) return 0;
			if ((rank += 1) >= scouts) break;
		}
		return this.tasks.size * FOLLOWER_REST;
	}

	/**
	 * The first completed task of a model resumes each other one at the same age, since tasks submitted
	 * together tend to end together.
	 */
	complete(duration: number): void {
		const isFirst = this.learned === undefined;
		this.learned = Math.min(duration, this.learned ?? duration);
		if (!isFirst) return;
		const now = this.clock.now();
		for (const { resume, submittedAt } of this.tasks) {
			// Only this wait: a later one has its own reason.
			if (resume) this.clock.after(Math.max(0, submittedAt + probableEnd(duration) - now), resume);
		}
	}

	/**
	 * A task that ends resumes the two oldest others that are old enough. Where the gateway runs a few tasks at
	 * a time, these have taken its place. Where one fails, others may have failed as well.
	 */
	leave(task: AwaitedTask): void {
		this.tasks.delete(task);
		const latest = this.clock.now() - (this.learned ?? 0);
		let left = RESUMED;
		for (const other of this.tasks) {
			const { resume } = other;
			if (!resume || other.submittedAt > latest) continue;
			delete other.resume;
			resume();
			if ((left -= 1) === 0) return;
		}
	}
}
