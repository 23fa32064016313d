import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { BoundedMap } from '../gateway/boundedMap';
import { readTask } from '../gateway/tasks/schema';
import { recordProcessed } from '../n8n/processedData';
import { systemClock } from '../n8n/systemClock';

/** Of each trigger, what this process remembers. */
const MOST_REMEMBERED = 50_000;
/** After this time, half of it more or less, what was recorded is looked for once more. */
const VERIFY_MS = 2_000;

interface Memory {
	taskIds: Set<string>;
	/** Recorded, and not yet looked for once more. */
	unverified: string[];
}

const MOST_TRIGGERS = 1_000;
/** By scope, which is one trigger. */
const memories = new BoundedMap<string, Memory>(MOST_TRIGGERS, {
	isActive: ({ unverified }) => unverified.length > 0,
});

const memoryOf = (scope: string): Memory =>
	memories.getOrCreate(scope, () => ({ taskIds: new Set(), unverified: [] }));

/** Whether this process has started the workflow for a task. */
export const isSeen = (scope: string, taskId: string): boolean =>
	memoryOf(scope).taskIds.has(taskId);

/** Notes that the workflow is started for a task; false when it was before. */
export function see(scope: string, taskId: string): boolean {
	const { taskIds } = memoryOf(scope);
	if (taskIds.has(taskId)) return false;
	taskIds.add(taskId);
	if (taskIds.size > MOST_REMEMBERED) taskIds.delete(taskIds.keys().next().value!);
	return true;
}

/** The workflow could not be started for tasks after all. */
export const forget = (scope: string, taskIds: readonly string[]): void =>
	taskIds.forEach((id) => memoryOf(scope).taskIds.delete(id));

/**
 * The items of tasks for which no other execution has started the workflow, in whichever process. They
 * are recorded within the run, in a table of n8n's own: what a webhook could write is overwritten by runs
 * that end later. Each task is recorded with its execution too, so that a run that n8n begins a second
 * time, after a worker died, keeps its items.
 */
export async function keepFirst(
	node: IExecuteFunctions,
	scope: string,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const executionId = node.getExecutionId();
	const ids = items.map(({ json }) => readTask(json)?.taskId);
	const named = [...new Set(ids.filter((id) => id !== undefined))];
	if (!named.length) return items;
	const ownEntry = (id: string) => `${id} ${executionId}`;
	const entries = named.flatMap((id) => [id, ownEntry(id)]);
	try {
		const known = await recordProcessed(node, scope, entries);
		const kept = items.filter((_item, index) => {
			const id = ids[index];
			return id === undefined || !known.has(id) || known.has(ownEntry(id));
		});
		// A run that was recorded together with this one may be of the same task.
		for (const text of entries) known.add(text);
		return kept;
	} catch (error) {
		// A task that starts the workflow twice is better than one that does not start it.
		node.logger.warn(
			`Generation Gateway Trigger: what was started is not recorded (${String(error)})`,
		);
		return items;
	} finally {
		// Of two processes that begin the first list at the same moment, one gets an error.
		verify(node, scope, entries);
	}
}

/**
 * Records once more what another process has overwritten: n8n's table has no lock, and two workers that
 * begin runs at the same moment write their lists over each other. All runs of a while share one look.
 */
function verify(node: IExecuteFunctions, scope: string, entries: readonly string[]): void {
	const { unverified } = memoryOf(scope);
	unverified.push(...entries);
	if (unverified.length > entries.length) return;
	systemClock.after(VERIFY_MS * (0.5 + Math.random()), () => {
		const due = unverified.splice(0);
		recordProcessed(node, scope, due).then(
			(known) => {
				const lost = due.filter((text) => !known.has(text));
				if (lost.length) verify(node, scope, lost);
			},
			() => undefined,
		);
	});
}
