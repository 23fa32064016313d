import type { Ledger } from './taskStore';
import type { Body, Settings } from './settings';
import type { LedgerEntry, Task } from './task';

const seconds = (ms: number): number => Math.floor(ms / 1000);

/** How many files a finished task has. */
export function outputsOf(task: Task): number {
	if (task.rule.kind === 'video') return 1;
	return task.rule.outputs?.(task.body) ?? (typeof task.body.n === 'number' ? task.body.n : 1);
}

export const extensionOf = (task: Task): string =>
	task.rule.kind === 'video' ? 'mp4' : (task.rule.format?.(task.body) ?? 'png');

/** When the links of a finished task stop working, in Unix milliseconds. */
export const expiryOf = (task: Task, settings: Settings): number =>
	task.endsAt + settings.linkValiditySeconds * 1000;

/** What the gateway says about a task (section 2.1). */
export class TaskView {
	constructor(
		private readonly settings: Settings,
		private readonly ledger: Ledger,
		private readonly base: () => string,
	) {}

	status(task: Task): string {
		const { settings } = this;
		if (this.ledger.isOver(task)) return this.word(task);
		const queued = Math.min(task.takes * 0.2, 1000);
		return settings.now() - task.submittedAt < queued ? 'queued' : settings.runningWord;
	}

	/** The reply to a submission: what was queued, and what is held for it. */
	submission(task: Task, fresh: boolean): Body {
		const { createdAtUnit } = this.settings;
		return {
			task_id: task.id,
			model: task.model,
			action: task.action,
			status: fresh ? 'queued' : this.status(task),
			created_at: createdAtUnit === 'ms' ? task.submittedAt : seconds(task.submittedAt),
			progress: fresh ? 0 : this.progress(task),
			pre_consumed_cost: task.held,
		};
	}

	/** The reply to a status request. */
	full(task: Task): Body {
		return this.ledger.isOver(task) ? this.terminal(task) : this.running(task);
	}

	/** The task as it will be at its end, also before that. */
	terminal(task: Task): Body {
		const good = task.outcome === 'completed';
		return {
			...this.head(task),
			status: this.word(task),
			progress: good ? '100%' : this.progress(task),
			completed_at: seconds(task.endsAt),
			...(good ? { result: this.result(task) } : {}),
			...(task.outcome === 'failed' ? this.settings.failure(task.reason ?? '') : {}),
			billing_status: good ? 'settled' : 'refunded',
			cost: good ? this.settings.settle(task.held, task.body) : 0,
		};
	}

	entry(task: Task): LedgerEntry {
		return {
			task_id: task.id,
			account: task.account,
			...(task.key === undefined ? {} : { key: task.key }),
			body: task.body,
			model: task.model,
			action: task.action,
			status: this.status(task),
			held: task.held,
			cost: this.ledger.costOf(task),
			submitted: task.submittedAt,
			...(this.ledger.isOver(task) ? { finished: task.endsAt } : {}),
			polls: task.polls,
			callbacks: task.callbacks,
			deliveries: [...task.deliveries],
		};
	}

	private word(task: Task): string {
		return task.outcome === 'completed' ? this.settings.terminalWord : task.outcome;
	}

	private running(task: Task): Body {
		return { ...this.head(task), progress: this.progress(task), pre_consumed_cost: task.held };
	}

	private head(task: Task): Body {
		const link = `${this.base()}/v1/tasks/${task.id}`;
		return {
			task_id: task.id,
			model: task.model,
			action: task.action,
			status: this.status(task),
			created_at: seconds(task.submittedAt),
			urls: { get: link, cancel: `${link}/cancel` },
		};
	}

	private progress(task: Task): string | number {
		const until = Math.min(this.settings.now(), task.endsAt);
		const share = Number.isFinite(task.takes)
			? (until - task.submittedAt) / Math.max(task.takes, 1)
			: 0.5;
		const percent = Math.min(99, Math.floor(share * 100));
		const { progressStyle } = this.settings;
		if (progressStyle === 'number') return percent;
		return progressStyle === 'fraction' ? percent / 100 : `${percent}%`;
	}

	private result(task: Task): Body {
		const own = () =>
			Array.from(
				{ length: outputsOf(task) },
				(_, index) => `${this.base()}/files/${task.id}-${index}.${extensionOf(task)}`,
			);
		const links = this.settings.resultLinks(task.body) ?? own();
		const items = links.map((url) => ({
			expires_at: seconds(expiryOf(task, this.settings)),
			url: [url],
		}));
		return { [task.rule.kind === 'video' ? 'videos' : 'images']: items };
	}
}
