import { randomUUID } from 'node:crypto';
import type { ModelRule } from './rules';
import type { Body, Outcome, Settings } from './settings';
import type { Task } from './task';
import type { Timers } from './timers';

const day = 86_400_000;

export interface Submission {
	account: string;
	key?: string;
	body: Body;
	rule: ModelRule;
	held: number;
}

export class Ledger {
	private readonly byId = new Map<string, Task>();
	private readonly byKey = new Map<string, Task>();
	/** Told when a task was ended by hand; the natural end has no event. */
	ended: (task: Task) => Promise<void> = () => Promise.resolve();

	constructor(
		private readonly settings: Settings,
		private readonly timers: Timers,
	) {}

	/** The task first created with this key in the last 24 hours (section 4). */
	reused(account: string, key: string | undefined): Task | undefined {
		const task = key === undefined ? undefined : this.byKey.get(JSON.stringify([account, key]));
		return task && this.settings.now() - task.submittedAt < day ? task : undefined;
	}

	submit(submission: Submission): Task {
		const { settings } = this;
		const { body, account, key } = submission;
		const now = settings.now();
		const takes = typeof settings.taskMs === 'function' ? settings.taskMs(body) : settings.taskMs;
		const marked =
			typeof body.prompt === 'string' && body.prompt.includes('[fail]') ? 'failed' : undefined;
		const reason = settings.fail(body) ?? marked;
		const task: Task = {
			...submission,
			id: `task_${randomUUID().replaceAll('-', '')}`,
			model: String(body.model),
			action: typeof body.action === 'string' ? body.action : 'generate',
			submittedAt: now,
			takes,
			endsAt: now + takes,
			outcome: reason === undefined ? 'completed' : 'failed',
			reason: reason === 'failed' ? 'The upstream could not generate this.' : reason,
			polls: 0,
			callbacks: 0,
			deliveries: [],
			waiting: new Set(),
		};
		this.byId.set(task.id, task);
		if (key !== undefined) this.byKey.set(JSON.stringify([account, key]), task);
		return task;
	}

	find(id: string): Task | undefined {
		return this.byId.get(id);
	}

	all(): Task[] {
		return [...this.byId.values()];
	}

	isOver(task: Task): boolean {
		return this.settings.now() >= task.endsAt;
	}

	/** Quota charged for it so far. */
	costOf(task: Task): number {
		return this.isOver(task) && task.outcome === 'completed'
			? this.settings.settle(task.held, task.body)
			: 0;
	}

	/** Ends a running task now; an ended one stays as it is. */
	async end(task: Task, outcome: Outcome, reason?: string): Promise<void> {
		if (this.isOver(task)) return;
		task.endsAt = this.settings.now();
		task.outcome = outcome;
		task.reason =
			outcome === 'failed' ? (reason ?? 'The upstream could not generate this.') : undefined;
		this.wake(task);
		await this.ended(task);
	}

	/** Resolves when the task is over or `ms` have passed. One timer per call. */
	async over(task: Task, ms: number): Promise<void> {
		const deadline = this.settings.now() + ms;
		while (!this.isOver(task)) {
			const left = Math.min(deadline, task.endsAt) - this.settings.now();
			if (left <= 0) return;
			await new Promise<void>((done) => {
				const wake = (): void => {
					cancel();
					task.waiting.delete(wake);
					done();
				};
				const cancel = this.timers.after(left, wake);
				task.waiting.add(wake);
			});
			if (!this.byId.has(task.id)) return;
		}
	}

	forget(): void {
		const tasks = this.all();
		this.byId.clear();
		this.byKey.clear();
		for (const task of tasks) this.wake(task);
	}

	private wake(task: Task): void {
		for (const wake of [...task.waiting]) wake();
	}
}
