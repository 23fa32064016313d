import { BoundedMap } from '../gateway/boundedMap';
import { endedWithoutResult } from '../gateway/tasks/submitTask';
import { hasEnded, readCharge, type Task } from '../gateway/tasks/schema';
import { wallTime } from './systemClock';
import { Spend, type Unsettled } from './spend';

/** An evicted account starts at 0 again. */
const MOST_ACCOUNTS = 1_000;
/** Tasks that can be found by key or ID. Older ones keep what they counted for. */
const MOST_TASKS = 20_000;

/** What one task counts for in a day. */
export class DailyShare implements Unsettled {
	quota = 0;
	isKnown = false;
	/** The task has ended. */
	isSettled = false;
	taskId?: string;
	/** Another execution than the one that claimed it has made the task. */
	isOfOther = false;

	constructor(
		readonly day: DailySpend,
		readonly name: string,
	) {}

	/** Still the share of its key: not evicted, and not followed by that of a second task. */
	get isCurrent(): boolean {
		return DailySpend.ofKeys.get(this.name) === this;
	}

	set(quota: number): void {
		this.day.total += quota - this.quota;
		this.quota = quota;
	}

	/** From now on the share follows the task. */
	attach(taskId: string): void {
		this.taskId = taskId;
		DailySpend.ofTasks.set(taskId, this);
	}

	/** Nothing was made, or not by this execution. */
	drop(): void {
		if (this.isOfOther) return;
		this.set(0);
		this.isKnown = true;
		if (!this.isCurrent) return;
		// Whoever has paid the task counts it.
		this.isSettled = false;
		DailySpend.ofKeys.delete(this.name);
	}
}

/** What an account has spent in one day (UTC), in all executions of this process. */
export class DailySpend extends Spend {
	private static readonly ofAccounts = new BoundedMap<string, DailySpend>(MOST_ACCOUNTS);
	static readonly ofKeys = new BoundedMap<string, DailyShare>(MOST_TASKS);
	static readonly ofTasks = new BoundedMap<string, DailyShare>(MOST_TASKS);

	/** `account` is a hash. */
	static today(account: string): DailySpend {
		const date = new Date(wallTime()).toISOString().slice(0, 10);
		const known = DailySpend.ofAccounts.get(account);
		if (known?.date === date) return known;
		return DailySpend.ofAccounts.set(account, new DailySpend(account, date));
	}

	/** The task counts, whatever becomes of the execution that claimed its share. */
	static keep(taskId: string): void {
		const share = DailySpend.ofTasks.get(taskId);
		if (share) share.isOfOther = true;
	}

	/** Counts the hold or the cost of a task, whichever execution reads it. */
	static update(task: Task): void {
		const share = DailySpend.ofTasks.get(task.taskId);
		const quota = readCharge(task);
		if (!share || quota === undefined || !share.isCurrent) return;
		share.set(quota);
		share.isKnown = true;
		share.isSettled = hasEnded(task);
		// The next task of the key counts as well.
		if (endedWithoutResult(task)) DailySpend.ofKeys.delete(share.name);
	}

	/** What a task has cost that this process has seen end. A hold may be older than what n8n has stored. */
	static chargeOf(taskId: string | undefined): number | undefined {
		const share = taskId === undefined ? undefined : DailySpend.ofTasks.get(taskId);
		return share?.isSettled ? share.quota : undefined;
	}

	private constructor(
		private readonly account: string,
		private readonly date: string,
	) {
		super('Cost Limit per Day', 'today (UTC)');
	}

	/** Undefined where another execution counts the task of this key. */
	claim(id: string): DailyShare | undefined {
		if (this.isCounted(id)) return undefined;
		const name = this.nameOf(id);
		return DailySpend.ofKeys.set(name, new DailyShare(this, name));
	}

	isCounted(id: string): boolean {
		return DailySpend.ofKeys.get(this.nameOf(id))?.day === this;
	}

	/** The key has this task. Whoever counts it may not know it. */
	found(id: string, task: Task): void {
		const share = DailySpend.ofKeys.get(this.nameOf(id));
		if (share && share.taskId === undefined) share.attach(task.taskId);
		DailySpend.update(task);
	}

	private readonly nameOf = (id: string) => `${this.account} ${id}`;
}
