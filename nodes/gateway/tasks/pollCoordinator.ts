import { onAbort } from '../abort';
import type { Clock } from '../context';
import { stoppedError } from '../errors';

/** Tasks of a model that are polled on their own account while nothing shows how long they take, at first. */
export const SCOUTS = 6;
/** Above this age the fewer, the older they are: a delay that counts for a task of seconds does not for one of minutes. */
const ALL_SCOUTS_MS = 3_200;
/** So many times as rarely as one scout all others together are polled, in case that one fails or ends early. */
const FOLLOWER_REST = 2;
/** Durations that are remembered of each model. */
const MOST_RECENT = 16;
/** A task that was still running at this share of its duration, or later, shows how long it took. */
const CLOSE_SHARE = 0.8;

/**
 * When a task has probably ended that was submitted together with one that took so long: the answers
 * to submissions take longer or shorter.
 */
export const probableEnd = (duration: number): number => duration * 1.01 + 20;

/** One task that is awaited together with others of its model. All times in milliseconds. */
export interface AwaitedTask {
	/** How long the model takes at least, as far as this run has seen or, for a scout, an earlier one; undefined while unknown. */
	readonly expected: number | undefined;
	/** How many times as long as a scout it may wait for its next poll, since others find out how long it takes; 0 for a scout. */
	readonly followers: number;
	/** Waits; ends early when another task shows that this one is likely to have ended, or on the user's stop. */
	wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
	/** It is completed, and was last seen running at this age. */
	complete(runningAt: number): void;
	/** It is not awaited any more, however it ended. */
	leave(): void;
}

/** What the tasks of one run learn from each other, model by model. */
export class PollCoordinator {
	private readonly models = new Map<string, AwaitedModel>();

	/** `known` is how long models took in earlier runs. */
	constructor(
		private readonly clock: Clock,
		private readonly known: ReadonlyMap<string, number> = new Map(),
	) {}

	/** A task of the model, submitted at this time in Unix milliseconds, is awaited from now on. */
	add(model: string, submittedAt: number): AwaitedTask {
		return this.modelOf(model).add(submittedAt);
	}

	/** How long a task of the model takes at least, in milliseconds, as far as earlier runs have seen. */
	expected(model: string): number | undefined {
		return this.known.get(model);
	}

	/** How long the models of this run took, for later ones. */
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

interface Member {
	submittedAt: number;
	/** Ends its wait; only while it waits. */
	resume?: () => void;
	/** It waits as a follower does. */
	isFollowing: boolean;
}

/** The tasks of one model that are awaited at the same time. */
class AwaitedModel {
	private readonly members = new Set<Member>();
	private readonly recent: number[] = [];
	/** Tasks that have ended otherwise than completed. */
	private unfinished = 0;

	constructor(
		private readonly clock: Clock,
		private readonly known: number | undefined,
	) {}

	get expected(): number | undefined {
		return this.learned ?? this.known;
	}

	get learned(): number | undefined {
		return this.recent.length ? Math.min(...this.recent) : undefined;
	}

	add(submittedAt: number): AwaitedTask {
		const member: Member = { submittedAt, isFollowing: false };
		this.members.add(member);
		// What earlier runs took is tested by the scouts alone.
		const expected = () => (this.followersOf(member) ? this.learned : this.expected);
		const followers = () => this.followersOf(member);
		return {
			get expected() {
				return expected();
			},
			get followers() {
				return followers();
			},
			wait: async (ms, signal) => await this.wait(member, ms, signal),
			complete: (runningAt) => this.complete(this.clock.now() - submittedAt, runningAt),
			leave: () => this.leave(member),
		};
	}

	/** The oldest are scouts. */
	private followersOf(member: Member): number {
		const age = this.clock.now() - member.submittedAt;
		const scouts = Math.max(1, SCOUTS * Math.min(1, ALL_SCOUTS_MS / age) ** 2);
		let rank = 0;
		for (const other of this.members) {
			if (other === member) return 0;
			if ((rank += 1) >= scouts) break;
		}
		return this.members.size * FOLLOWER_REST;
	}

	/**
	 * The first of its model to be completed resumes each other one when it is as old: tasks submitted
	 * together tend to end together. Only the first does, so that a batch is not polled again for every
	 * end in it.
	 */
	private complete(duration: number, runningAt: number): void {
		const { learned } = this;
		const isClose = runningAt >= duration * CLOSE_SHARE;
		if (learned !== undefined && duration >= learned && !isClose) return;
		this.recent.push(duration);
		if (this.recent.length > MOST_RECENT) this.recent.shift();
		if (learned !== undefined) return;
		const now = this.clock.now();
		for (const member of this.members) {
			const { resume, submittedAt } = member;
			// Only this wait: a later one has a reason of its own.
			if (resume) this.clock.after(Math.max(0, submittedAt + probableEnd(duration) - now), resume);
		}
	}

	/**
	 * A task that ends without showing how long they take, e.g. because it has failed, has the oldest that
	 * follow polled at once: two, and two more each time, since what befell it may have befallen all.
	 */
	private leave(member: Member): void {
		this.members.delete(member);
		if (this.learned !== undefined) return;
		this.unfinished += 1;
		let left = 2 * this.unfinished;
		for (const other of this.members) {
			if (!other.isFollowing) continue;
			other.isFollowing = false;
			other.resume?.();
			if ((left -= 1) === 0) return;
		}
	}

	private async wait(member: Member, ms: number, signal: AbortSignal | undefined): Promise<void> {
		if (signal?.aborted) throw stoppedError();
		let [cancel, forget] = [() => {}, () => {}];
		try {
			await new Promise<void>((resolve, reject) => {
				member.resume = resolve;
				member.isFollowing = this.followersOf(member) > 0;
				cancel = this.clock.after(ms, resolve, { keepsProcess: true });
				forget = onAbort(signal, () => reject(stoppedError()));
			});
		} finally {
			cancel();
			forget();
			delete member.resume;
		}
	}
}
