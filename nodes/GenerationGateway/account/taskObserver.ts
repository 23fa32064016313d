import { endedWithoutResult } from '../../gateway/tasks/submitTask';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import type { Run } from '../operation';
import { retiredKeys } from '../tasks/taskKey';
import type { TaskPlan } from '../tasks/taskPlan';

/**
 * What becomes of one row's task, also after the run of the node: another node of the execution may see its
 * end. So it holds nothing that n8n gives a run, which would hold the whole execution.
 */
export class TaskObserver {
	/** The task was made by another execution: nothing is billed for it now. */
	isReused = false;
	private readonly plan: Pick<TaskPlan, 'index' | 'key' | 'reservation'>;
	private readonly run: Pick<Run, 'record' | 'openTasks' | 'rows' | 'budget'>;

	constructor({ index, key, reservation }: TaskPlan, { record, openTasks, rows, budget }: Run) {
		this.plan = { index, key, reservation };
		this.run = { record, openTasks, rows, budget };
	}

	/**
	 * What a reply says of the task: its hold, or how it ended and what it cost. Gives the reason why it
	 * must be cancelled when it holds more than a limit allows.
	 */
	observe(task: Task): string | undefined {
		const { plan, run } = this;
		if (!run.record.update(task)) return undefined;
		if (hasEnded(task)) run.openTasks.delete(task.taskId);
		if (endedWithoutResult(task)) {
			retiredKeys.retire(plan.key.key, task.taskId);
			run.rows.forget(plan.index);
		}
		// A Retry goes on with the money of the execution that it retries.
		const isPaidElsewhere = this.isReused && !run.record.isRetry;
		if (isPaidElsewhere) return run.budget.dropPaid(plan.reservation);
		const problem = run.budget.update(plan.reservation, task);
		return this.isReused ? undefined : problem;
	}
}
