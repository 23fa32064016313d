import { endedWithoutResult } from '../../gateway/tasks/submitTask';
import type { Task } from '../../gateway/tasks/schema';
import type { Run } from '../operation';
import type { TaskPlan } from '../tasks/taskPlan';

/**
 * Follows one row's task, also after the run of the node, when another node sees its end. It must not hold
 * the context of a run, which holds the whole execution.
 */
export function createTaskObserver(
	{ index, key, retiredKeys, reservation }: TaskPlan,
	{ record, rows, budget }: Run,
) {
	const observer = {
		/** Another execution has paid the task. */
		isReused: false,
		/** Takes a state of the task. Returns why it must be cancelled: it holds more than a limit allows. */
		observe(task: Task): string | undefined {
			if (!record.update(task)) return undefined;
			if (endedWithoutResult(task)) {
				retiredKeys.retire(key.key, task);
				rows.forget(index);
			}
			// A Retry continues the money of the execution before.
			if (observer.isReused && reservation.charge.maker !== 'retried') {
				budget.dropPaid(reservation, task);
				return undefined;
			}
			return budget.update(reservation, task, { isCancellable: !observer.isReused });
		},
	};
	return observer;
}
