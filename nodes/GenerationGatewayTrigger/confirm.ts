import type { GatewayClient } from '../gateway/client';
import type { NamedTask } from '../gateway/callbacks/taskIds';
import { delay } from '../gateway/delay';
import { GatewayError } from '../gateway/errors';
import { getTask } from '../gateway/tasks/api';
import { hasEnded, type Task } from '../gateway/tasks/schema';
import { systemClock } from '../n8n/systemClock';

/** For one callback. The sender calls again for others. */
const MOST_FETCHED = 5;
/** A callback may be faster than the status of its task. */
const POLL_DELAYS_MS = [500, 1_500, 2_000];

/** What a gateway answers for something that is no ID of a task. */
const REFUSALS: ReadonlySet<string> = new Set(['not_found', 'bad_request']);

/** `unknown`: this account has no such task yet. `failed`: it cannot be fetched now. */
type Found = Task | 'unknown' | 'failed';

/**
 * Fetches the tasks that a callback names, and gives those of this account that have ended. Texts that only
 * look like IDs count if there is such a task. `hasOthers`: the callback names known tasks, too.
 * `isComplete`: another call would find nothing new. `problems`: why others are neither fetched nor ignored.
 */
export async function confirmTasks(
	client: GatewayClient,
	named: readonly NamedTask[],
	hasOthers: boolean,
): Promise<{ ended: Task[]; isComplete: boolean; problems: string[] }> {
	const found = new Map<string, Found>();
	const messages = new Map<string, string>();
	const fetchOne = async (id: string): Promise<Found> => {
		try {
			return await getTask(client, id);
		} catch (error) {
			// Anyone may have written the ID.
			messages.set(id, `${JSON.stringify(id)}: ${(error as Error).message}`);
			return error instanceof GatewayError && REFUSALS.has(error.code) ? 'unknown' : 'failed';
		}
	};
	const fetchAll = async (ids: readonly string[]): Promise<void> =>
		void (await Promise.all(ids.map(async (id) => found.set(id, await fetchOne(id)))));
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
	const isAnyKnown = hasOthers || findAll((task) => typeof task === 'object').length > 0;
	const isSettled = ({ id, isLikeliest, isCertain }: NamedTask): boolean => {
		const task = found.get(id);
		if (task === 'unknown' && !isCertain && isAnyKnown) return true;
		if (task === undefined || task === 'unknown') return !isLikeliest;
		return task !== 'failed' && (hasEnded(task) || !isLikeliest);
	};
	const unsettled = named.filter((task) => !isSettled(task)).map(({ id }) => id);
	return {
		ended: [...found.values()].filter(isEnded),
		isComplete: !unsettled.length,
		problems: unsettled.flatMap((id) => messages.get(id) ?? []),
	};
}

const isEnded = (task: Found): task is Task => typeof task === 'object' && hasEnded(task);
const isRunning = (task: Found): task is Task => typeof task === 'object' && !hasEnded(task);
