import { quotaToUsd } from '../../catalog/quota';
import type { Task } from '../../gateway/tasks/schema';

/** A simplified task: flat, with the names of the gateway. */
export type TaskJson = Record<string, string | number | string[] | null>;

const orNull = <T>(value: T | undefined) => value ?? null;

/** The flat item of a task; times in ISO 8601, `cost` in quota once settled, the hold until then. */
export function taskToJson(task: Task): TaskJson {
	const { cost } = task;
	return {
		task_id: task.taskId,
		model: orNull(task.model),
		action: orNull(task.action),
		status: task.status,
		progress: task.progress,
		created_at: orNull(task.createdAt),
		completed_at: orNull(task.completedAt),
		expires_at: orNull(task.expiresAt),
		urls: task.urls,
		cost: orNull(cost),
		cost_usd: cost === undefined ? null : quotaToUsd(cost),
		...(cost === undefined && task.held !== undefined && { pre_consumed_cost: task.held }),
		...(task.reason !== undefined && { reason: task.reason }),
	};
}
