import type { TaskStore } from './taskStore';
import type { Body, Settings } from './settings';
import type { TaskRecord, Task } from './task';

const toSeconds = (ms: number): number => Math.floor(ms / 1000);

/** How many files a finished task has. */
export function countOutputs(task: Task): number {
	if (task.rule.kind === 'video') return 1;
	return task.rule.countOutputs?.(task.body) ?? (typeof task.body.n === 'number' ? task.body.n : 1);
}

export const getExtension = (task: Task): string =>
	task.rule.kind === 'video' ? 'mp4' : (task.rule.getFormat?.(task.body) ?? 'png');

/** When the links of a finished task stop working, in Unix milliseconds. */
export const getExpiry = (task: Task, settings: Settings): number =>
	task.endsAt + settings.linkValiditySeconds * 1000;

/** Formats tasks as the gateway's replies (section 2.1). */
export class TaskFormatter {
	constructor(
		private readonly settings: Settings,
		private readonly taskStore: TaskStore,
		private readonly getBaseUrl: () => string,
	) {}

	getStatus(task: Task): string {
		return this.taskStore.isOver(task) ? this.getFinalStatus(task) : this.getRunningStatus(task);
	}

	/** The reply to a submission: what was queued, and what is held for it. */
	toSubmission(task: Task, isNew: boolean): Body {
		const { createdAtUnit } = this.settings;
		return {
			task_id: task.id,
			model: task.model,
			action: task.action,
			status: isNew ? 'queued' : this.getRunningStatus(task),
			created_at: createdAtUnit === 'ms' ? task.submittedAt : toSeconds(task.submittedAt),
			progress: isNew ? 0 : this.getProgress(task),
			pre_consumed_cost: task.held,
		};
	}

	/** The reply to a status request. */
	toObject(task: Task): Body {
		return this.taskStore.isOver(task) ? this.toFinalObject(task) : this.toRunningObject(task);
	}

	/** The task as it is once ended, also when called earlier. */
	toFinalObject(task: Task): Body {
		const isCompleted = task.outcome === 'completed';
		return {
			...this.toCommonFields(task),
			status: this.getFinalStatus(task),
			progress: isCompleted ? '100%' : this.getProgress(task),
			completed_at: toSeconds(task.endsAt),
			...(isCompleted ? { result: this.toResult(task) } : {}),
			...(task.outcome === 'failed' ? this.settings.failure(task.reason ?? '') : {}),
			billing_status: isCompleted ? 'settled' : 'refunded',
			cost: isCompleted ? this.settings.settle(task.held, task.body) : 0,
		};
	}

	toRecord(task: Task): TaskRecord {
		return {
			task_id: task.id,
			account: task.account,
			...(task.key === undefined ? {} : { key: task.key }),
			body: task.body,
			model: task.model,
			action: task.action,
			status: this.getStatus(task),
			held: task.held,
			cost: this.taskStore.getCost(task),
			submitted: task.submittedAt,
			...(this.taskStore.isOver(task) ? { finished: task.endsAt } : {}),
			polls: task.polls,
			callbacks: task.callbacks,
			deliveries: [...task.deliveries],
		};
	}

	/** The caller has seen that it runs. It may end while the reply is made, so that is not asked again. */
	private getRunningStatus(task: Task): string {
		const { settings } = this;
		const queued = Math.min(task.durationMs * 0.2, 1000);
		return settings.now() - task.submittedAt < queued ? 'queued' : settings.runningWord;
	}

	private getFinalStatus(task: Task): string {
		return task.outcome === 'completed' ? this.settings.terminalWord : task.outcome;
	}

	private toRunningObject(task: Task): Body {
		return {
			...this.toCommonFields(task),
			status: this.getRunningStatus(task),
			progress: this.getProgress(task),
			pre_consumed_cost: task.held,
		};
	}

	private toCommonFields(task: Task): Body {
		const link = `${this.getBaseUrl()}/v1/tasks/${task.id}`;
		return {
			task_id: task.id,
			model: task.model,
			action: task.action,
			created_at: toSeconds(task.submittedAt),
			urls: { get: link, cancel: `${link}/cancel` },
		};
	}

	private getProgress(task: Task): string | number | undefined {
		const until = Math.min(this.settings.now(), task.endsAt);
		const share = Number.isFinite(task.durationMs)
			? (until - task.submittedAt) / Math.max(task.durationMs, 1)
			: 0.5;
		const percent = Math.min(99, Math.floor(share * 100));
		const { progressStyle } = this.settings;
		if (progressStyle === 'none') return undefined;
		if (progressStyle === 'number') return percent;
		return progressStyle === 'fraction' ? percent / 100 : `${percent}%`;
	}

	private toResult(task: Task): Body {
		const createLinks = () =>
			Array.from(
				{ length: countOutputs(task) },
				(_, index) => `${this.getBaseUrl()}/files/${task.id}-${index}.${getExtension(task)}`,
			);
		const links = this.settings.resultLinks(task.body) ?? createLinks();
		const items = links.map((url) => ({
			expires_at: toSeconds(getExpiry(task, this.settings)),
			url: [url],
		}));
		return { [task.rule.kind === 'video' ? 'videos' : 'images']: items };
	}
}
