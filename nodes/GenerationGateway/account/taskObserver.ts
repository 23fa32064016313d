import { endedWithoutResult } from '../../gateway/tasks/submitTask';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import type { Run } from '../operation';
import type { TaskPlan } from '../tasks/taskPlan';

/**
 * Follows one row's task, also after the run of the node, when another node sees its end. It must not hold
 * the context of a run, which holds the whole execution.
 */
export class TaskObserver {
	/** Another execution has paid the task. */
	isReused = false;
	private readonly plan: Pick<TaskPlan, 'index' | 'key' | 'retiredKeys' | 'reservation'>;
	private readonly run: Pick<Run, 'record' | 'openTasks' | 'rows' | 'budget'>;

	constructor(
		{ index, key, retiredKeys, reservation }: TaskPlan,
		{ record, openTasks, rows, budget }: Run,
	) {
		this.plan = { index, key, retiredKeys, reservation };
		this.run = { record, openTasks, rows, budget };
	}

	/** Takes a state of the task. Returns why it must be cancelled: it holds more than a limit allows. */
	observe(task: Task): string | undefined {
		const { plan, run } = this;
		if (!run.record.update(task)) return undefined;
		if (hasEnded(task)) run.openTasks.delete(task.taskId);
		if (endedWithoutResult(task)) {
			plan.retiredKeys.retire(plan.key.key, task);
			run.rows.forget(plan.index);
		}
		// A Retry continues the money of the execution before.
		if (this.isReused && plan.reservation.charge.maker !== 'retried') {
			run.budget.dropPaid(plan.reservation, task);
			return undefined;
		}
		const problem = run.budget.update(plan.reservation, task);
		return this.isReused ? undefined : problem;
	}
}
