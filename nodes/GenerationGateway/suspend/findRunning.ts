import type { GatewayClient } from '../../gateway/client';
import { getTask } from '../../gateway/tasks/api';
import { hasEnded, type Task } from '../../gateway/tasks/schema';

export interface Finding {
	/** The tasks that were found to have ended; of `fetchAll` the others too. */
	tasks: Task[];
	/** One was found that still runs; those after it were not fetched. */
	hasRunning: boolean;
	/** At least one could be fetched. */
	hasAnswer: boolean;
}

/**
 * Fetches tasks until one is found that still runs: nothing can go on before that one has ended. It begins
 * with the last, which probably ends last, and takes twice as many each time, so that over all calls a task
 * is fetched about twice. Where a fetch fails, all others are tried.
 */
export async function findRunning(
	client: GatewayClient,
	taskIds: readonly string[],
): Promise<Finding> {
	const finding: Finding = { tasks: [], hasRunning: false, hasAnswer: !taskIds.length };
	const left = [...taskIds].reverse();
	for (let size = 1; left.length && !finding.hasRunning;) {
		const ids = left.splice(0, size);
		const polls = await Promise.allSettled(ids.map((id) => getTask(client, id)));
		const tasks = polls.flatMap((poll) => (poll.status === 'fulfilled' ? [poll.value] : []));
		finding.tasks.push(...tasks.filter(hasEnded));
		finding.hasAnswer ||= tasks.length > 0;
		finding.hasRunning = tasks.some((task) => !hasEnded(task));
		size = tasks.length < ids.length ? left.length : size * 2;
	}
	return finding;
}

/** Fetches all tasks, as they are now. */
export async function fetchAll(
	client: GatewayClient,
	taskIds: readonly string[],
): Promise<Finding> {
	const polls = await Promise.allSettled(taskIds.map((id) => getTask(client, id)));
	const tasks = polls.flatMap((poll) => (poll.status === 'fulfilled' ? [poll.value] : []));
	return {
		tasks,
		hasRunning: tasks.some((task) => !hasEnded(task)),
		hasAnswer: !taskIds.length || tasks.length > 0,
	};
}
