import type { GatewayClient } from '../../gateway/client';
import { getTask } from '../../gateway/tasks/api';
import { hasEnded, type Task } from '../../gateway/tasks/schema';

/**
 * Fetches tasks until one still runs. Begins with the last one, which probably ends last, and doubles the number
 * each time: all calls together fetch a task about twice. After an error all others are fetched. Gives those
 * that have ended. With `fetchesAll`, all are fetched at once and given. Given up at `until`, in Unix milliseconds.
 */
export async function findRunning(
	client: GatewayClient,
	taskIds: readonly string[],
	fetchesAll = false,
	until?: number,
) {
	const finding = {
		tasks: [] as Task[],
		hasRunning: false,
		hasAnswer: !taskIds.length,
		failure: undefined as unknown,
	};
	const left = [...taskIds].reverse();
	for (let size = fetchesAll ? left.length : 1; left.length && !finding.hasRunning;) {
		const ids = left.splice(0, size);
		const polls = await Promise.allSettled(ids.map((id) => getTask(client, id, until)));
		const tasks = polls.flatMap((poll) => (poll.status === 'fulfilled' ? [poll.value] : []));
		for (const poll of polls) if (poll.status === 'rejected') finding.failure = poll.reason;
		finding.tasks.push(...(fetchesAll ? tasks : tasks.filter(hasEnded)));
		finding.hasAnswer ||= tasks.length > 0;
		finding.hasRunning = tasks.some((task) => !hasEnded(task));
		size = tasks.length < ids.length ? left.length : size * 2;
	}
	return finding;
}
