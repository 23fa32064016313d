import { randomUUID } from 'node:crypto';
import type { ModelRule } from './rules';
import type { Body, Outcome, Settings } from './settings';
import type { Task } from './task';
import type { Timers } from './timers';

const DAY_MS = 86_400_000;

export interface Submission {
	account: string;
	key?: string;
	body: Body;
	rule: ModelRule;
	held: number;
}

/** The tasks of one sandbox, by ID and by idempotency key. */
export class TaskStore {
	private readonly byId = new Map<string, Task>();
	private readonly byKey = new Map<string, Task>();
	/** Called when a task is ended by `end`; a task that runs its full time causes no call. */
	onEnded: (task: Task) => Promise<void> = () => Promise.resolve();

	constructor(
		private readonly settings: Settings,
		private readonly timers: Timers,
	) {}

	/** The task first created with this key in the last 24 hours (section 4). */
	findReusable(account: string, key: string | undefined): Task | undefined {
		const task = key === undefined ? undefined : this.byKey.get(JSON.stringify([account, key]));
		return task && this.settings.now() - task.submittedAt < DAY_MS ? task : undefined;
	}

	create(submission: Submission): Task {
		const { settings } = this;
		const { body, account, key } = submission;
		const now = settings.now();
		const durationMs =
			typeof settings.taskMs === 'function' ? settings.taskMs(body) : settings.taskMs;
		const promptReason =
			typeof body.prompt === 'string' && body.prompt.includes('[fail]') ? 'failed' : undefined;
		const reason = settings.fail(body) ?? promptReason;
		const task: Task = {
			...submission,
			id: `task_${randomUUID().replaceAll('-', '')}`,
			model: String(body.model),
			action: typeof body.action === 'string' ? body.action : 'generate',
			submittedAt: now,
			durationMs,
			endsAt: now + durationMs,
			outcome: reason === undefined ? 'completed' : 'failed',
			reason: reason === 'failed' ? 'The upstream could not generate this.' : reason,
			polls: 0,
			callbacks: 0,
			deliveries: [],
			waiters: new Set(),
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
	getCost(task: Task): number {
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
		this.notifyWaiters(task);
		await this.onEnded(task);
	}

	/** Resolves when the task is over or `ms` have passed. One timer per call. */
	async waitUntilOver(task: Task, ms: number): Promise<void> {
		const deadline = this.settings.now() + ms;
		while (!this.isOver(task)) {
			const remainingMs = Math.min(deadline, task.endsAt) - this.settings.now();
			if (remainingMs <= 0) return;
			await new Promise<void>((done) => {
				const stopWaiting = (): void => {
					cancel();
					task.waiters.delete(stopWaiting);
					done();
				};
				const cancel = this.timers.schedule(remainingMs, stopWaiting);
				task.waiters.add(stopWaiting);
			});
			if (!this.byId.has(task.id)) return;
		}
	}

	clear(): void {
		const tasks = this.all();
		this.byId.clear();
		this.byKey.clear();
		for (const task of tasks) this.notifyWaiters(task);
	}

	private notifyWaiters(task: Task): void {
		for (const stopWaiting of [...task.waiters]) stopWaiting();
	}
}
