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

/** A task, or why it was not fetched. */
type Found = Task | Error;

/**
 * Fetches the tasks that a callback names, and gives those of this account that have ended. Texts that only
 * look like IDs count if there is such a task. `hasOthers`: the callback names known tasks, too.
 * `isComplete`: another call would find nothing new. `problems`: why tasks that still count could not be fetched.
 */
export async function confirmTasks(
	client: GatewayClient,
	named: readonly NamedTask[],
	hasOthers: boolean,
): Promise<{ ended: Task[]; isComplete: boolean; problems: string[] }> {
	const found = new Map<string, Found>();
	const fetchOne = async (id: string): Promise<Found> =>
		await getTask(client, id).catch((error: Error) => error);
	const fetchAll = async (ids: readonly string[]): Promise<void> =>
		void (await Promise.all(ids.map(async (id) => found.set(id, await fetchOne(id)))));
	const fetched = named.slice(0, MOST_FETCHED);
	await fetchAll(fetched.map(({ id }) => id));
	const findAll = (matches: (task: Found) => boolean) =>
		[...found].filter(([, task]) => matches(task)).map(([id]) => id);
	for (const ms of POLL_DELAYS_MS) {
		const running = findAll(isRunning);
		if (!running.length || findAll(isEnded).length) break;
		await delay({ clock: systemClock }, ms);
		await fetchAll(running);
	}
	const isAnyKnown = hasOthers || findAll((task) => !(task instanceof Error)).length > 0;
	const isSettled = ({ id, isLikeliest, isCertain }: NamedTask): boolean => {
		const task = found.get(id);
		if (task === undefined) return !isLikeliest;
		if (isUnknown(task)) return !isLikeliest || (!isCertain && isAnyKnown);
		return isEnded(task) || (isRunning(task) && !isLikeliest);
	};
	const unsettled = named.filter((task) => !isSettled(task)).map(({ id }) => id);
	return {
		ended: [...found.values()].filter(isEnded),
		isComplete: !unsettled.length,
		problems: unsettled.flatMap((id) => {
			const task = found.get(id);
			// Anyone may have written the ID.
			return task instanceof Error ? [`${JSON.stringify(id)}: ${task.message}`] : [];
		}),
	};
}

/** This account has no such task yet. */
const isUnknown = (task: Found): boolean => task instanceof GatewayError && REFUSALS.has(task.code);
const isEnded = (task: Found): task is Task => !(task instanceof Error) && hasEnded(task);
const isRunning = (task: Found): task is Task => !(task instanceof Error) && !hasEnded(task);
