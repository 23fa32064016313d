import { BoundedMap } from '../../gateway/boundedMap';
import { endedWithoutResult } from '../../gateway/tasks/submitTask';
import { readCharge, type Task } from '../../gateway/tasks/schema';
import { wallTime } from '../../n8n/systemClock';
import { Spend, type Unsettled } from './spend';

/** An account that is forgotten begins at 0 again, so there is room for many more than one n8n has. */
const MOST_ACCOUNTS = 1_000;
/** Tasks that are found by their key or ID; older ones stay counted as they were known last. */
const MOST_TASKS = 20_000;

/** What one task counts for in the spend of a day. */
export class DailyShare implements Unsettled {
	quota = 0;
	isKnown = false;
	taskId?: string;

	constructor(
		readonly day: DailySpend,
		readonly name: string,
	) {}

	set(quota: number): void {
		this.day.total += quota - this.quota;
		this.quota = quota;
	}
}

/** What the images and videos of an account have cost in one day (UTC), by all executions in this process. */
export class DailySpend extends Spend {
	private static readonly ofAccounts = new BoundedMap<string, DailySpend>(MOST_ACCOUNTS);
	private static readonly ofKeys = new BoundedMap<string, DailyShare>(MOST_TASKS);
	private static readonly ofTasks = new BoundedMap<string, DailyShare>(MOST_TASKS);

	/** `account` is a hash, never a key in plain text. */
	static today(account: string): DailySpend {
		const date = new Date(wallTime()).toISOString().slice(0, 10);
		const known = DailySpend.ofAccounts.get(account);
		if (known?.date === date) return known;
		return DailySpend.ofAccounts.set(account, new DailySpend(account, date));
	}

	/** Counts what any execution hears of a task: its hold, or what it has cost in the end. */
	static update(task: Task): void {
		const share = DailySpend.ofTasks.get(task.taskId);
		const quota = readCharge(task);
		if (!share || quota === undefined) return;
		share.set(quota);
		share.isKnown = true;
		// The next task of the key is counted beside it.
		if (endedWithoutResult(task)) share.day.forget(share);
	}

	/** Forgets all days, as a process that ends does. */
	static clear(): void {
		for (const map of [DailySpend.ofAccounts, DailySpend.ofKeys, DailySpend.ofTasks]) map.clear();
	}

	private constructor(
		private readonly account: string,
		private readonly date: string,
	) {
		super('Cost Limit per Day', 'today');
	}

	/** The share of the task with a key; undefined where another execution counts it already. */
	claim(id: string): DailyShare | undefined {
		if (this.isCounted(id)) return undefined;
		const name = this.nameOf(id);
		return DailySpend.ofKeys.set(name, new DailyShare(this, name));
	}

	/** Whether the task with a key is counted already. */
	isCounted(id: string): boolean {
		return DailySpend.ofKeys.get(this.nameOf(id))?.day === this;
	}

	/** From now on the share follows what is heard of the task. */
	attach(share: DailyShare, taskId: string): void {
		share.taskId = taskId;
		DailySpend.ofTasks.set(taskId, share);
	}

	/** Nothing was made, or not by this execution. */
	drop(share: DailyShare): void {
		share.set(0);
		share.isKnown = true;
		this.forget(share);
	}

	private readonly nameOf = (id: string) => `${this.account} ${id}`;

	private forget({ name }: DailyShare): void {
		DailySpend.ofKeys.delete(name);
	}
}
