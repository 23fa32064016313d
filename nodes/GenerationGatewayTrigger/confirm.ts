import type { GatewayClient } from '../gateway/client';
import type { NamedTask } from '../gateway/callbacks/taskIds';
import { delay } from '../gateway/delay';
import { GatewayError } from '../gateway/errors';
import { getTask } from '../gateway/tasks/api';
import { hasEnded, type Task } from '../gateway/tasks/schema';
import { systemClock } from '../n8n/systemClock';

/** Tasks that are fetched for one callback; the sender calls again for the others. */
const MOST_FETCHED = 5;
/** A callback may be faster than the status of its task: it is fetched again after these milliseconds. */
const POLL_DELAYS_MS = [500, 1_500, 2_000];

export interface Confirmation {
	/** The tasks that exist on this account and have ended. */
	ended: Task[];
	/** Nothing is left that another call could find: no task that runs, is unknown yet or could not be fetched. */
	isComplete: boolean;
}

/** `unknown`: this account has no such task, or has none yet. `failed`: it cannot be fetched now. */
type Found = Task | 'unknown' | 'failed';

/**
 * Fetches the tasks that a callback names. Of texts that only may be IDs, those count that turn out to be.
 */
export async function confirmTasks(
	client: GatewayClient,
	named: readonly NamedTask[],
): Promise<Confirmation> {
	const found = new Map<string, Found>();
	const fetchAll = async (ids: readonly string[]): Promise<void> =>
		void (await Promise.all(ids.map(async (id) => found.set(id, await fetchTask(client, id)))));
	const fetched = named.slice(0, MOST_FETCHED);
	await fetchAll(fetched.map(({ id }) => id));
	const findAll = (matches: (task: Found) => boolean) =>
		[...found].filter(([, task]) => matches(task)).map(([id]) => id);
	for (const ms of POLL_DELAYS_MS) {
		const running = findAll(isRunning);
		if (!running.length || findAll(isEnded).length) break;
		await delay(systemClock, ms);
		await fetchAll(running);
	}
	const isSettled = ({ id, isLikeliest }: NamedTask): boolean => {
		const task = found.get(id);
		if (task === undefined || task === 'unknown') return !isLikeliest;
		return task !== 'failed' && (hasEnded(task) || !isLikeliest);
	};
	return { ended: [...found.values()].filter(isEnded), isComplete: named.every(isSettled) };
}

const isEnded = (task: Found): task is Task => typeof task === 'object' && hasEnded(task);
const isRunning = (task: Found): task is Task => typeof task === 'object' && !hasEnded(task);

async function fetchTask(client: GatewayClient, id: string): Promise<Found> {
	try {
		return await getTask(client, id);
	} catch (error) {
		return error instanceof GatewayError && error.code === 'not_found' ? 'unknown' : 'failed';
	}
}
