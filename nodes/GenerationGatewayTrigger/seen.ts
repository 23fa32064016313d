import type { IDataObject } from 'n8n-workflow';

type Times = Map<string, number>;

/** Tasks that started the workflow: by this process at once, and by all of them once n8n has saved it. */
const LONGEST_MS = 48 * 3_600_000;
/** In static data, which n8n reads and writes with the workflow; this process remembers more. */
const MOST = 1_000;
const MOST_HERE = 50_000;
/** By scope, which is one trigger; then by task. */
const here = new Map<string, Times>();

function timesOf(scope: string): Times {
	const times = here.get(scope) ?? new Map<string, number>();
	here.set(scope, times);
	return times;
}

const storedIn = (saved: IDataObject) => (saved.seen ?? {}) as Record<string, number>;

/** Whether a task has not started the workflow yet; from now on it has. `saved` is the node's static data. */
export function isFirst(
	saved: IDataObject,
	scope: string,
	taskId: string,
	now = Date.now(),
): boolean {
	if (timesOf(scope).has(taskId) || taskId in storedIn(saved)) return false;
	note(saved, scope, [taskId], now);
	return true;
}

/** Notes that these tasks have started the workflow. */
export function note(
	saved: IDataObject,
	scope: string,
	taskIds: readonly string[],
	now = Date.now(),
): void {
	const times = timesOf(scope);
	for (const id of taskIds) times.set(id, now);
	if (times.size > MOST_HERE) times.delete(times.keys().next().value!);
	keep(saved, scope, now);
}

/**
 * Writes down all that this process has seen. Runs that go on together each have a copy of the static
 * data, and n8n keeps the one that is saved last: so each copy holds what all know.
 */
export function keep(saved: IDataObject, scope: string, now = Date.now()): void {
	const known = Object.entries({
		...storedIn(saved),
		...Object.fromEntries([...timesOf(scope)].slice(-MOST)),
	});
	const recent = known.filter(([, at]) => now - at < LONGEST_MS).sort(([, a], [, b]) => a - b);
	saved.seen = Object.fromEntries(recent.slice(-MOST));
}
