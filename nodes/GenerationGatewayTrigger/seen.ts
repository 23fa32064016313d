import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { BoundedMap } from '../gateway/boundedMap';
import { readTask } from '../gateway/tasks/schema';
import { recordProcessed, scopeOf } from '../n8n/processedData';
import { systemClock } from '../n8n/systemClock';

/** For each trigger in this process. */
const MOST_REMEMBERED = 50_000;
/** After about this time the record is checked. */
const VERIFY_MS = 2_000;

interface Memory {
	taskIds: BoundedMap<string, true>;
	/** Recorded, and not checked yet. */
	unverified: string[];
}

export const MOST_TRIGGERS = 1_000;
/** By scope. */
const memories = new BoundedMap<string, Memory>(MOST_TRIGGERS, {
	isActive: ({ unverified }) => unverified.length > 0,
});

const memoryOf = (scope: string): Memory =>
	memories.getOrCreate(scope, () => ({ taskIds: new BoundedMap(MOST_REMEMBERED), unverified: [] }));

/** This process has started the workflow for the task. */
export const isSeen = (scope: string, taskId: string): boolean =>
	memoryOf(scope).taskIds.get(taskId) === true;

/** Records that the workflow starts for a task. Returns false when it already has. */
export function see(scope: string, taskId: string): boolean {
	if (isSeen(scope, taskId)) return false;
	memoryOf(scope).taskIds.set(taskId, true);
	return true;
}

/** The workflow could not be started. */
export const forget = (scope: string, taskIds: readonly string[]): void =>
	taskIds.forEach((id) => memoryOf(scope).taskIds.delete(id));

/**
 * The items whose tasks have not started the workflow in any process. They are recorded in n8n's table of
 * processed data, within the run: what a webhook writes is overwritten by runs that end later. Each task is
 * recorded with its execution, so that a run that n8n begins again after a crash keeps its items.
 */
export async function keepFirst(
	node: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const executionId = node.getExecutionId();
	const ids = items.map(({ json }) => readTask(json)?.taskId);
	const named = [...new Set(ids.filter((id) => id !== undefined))];
	if (!named.length) return items;
	const ownEntry = (id: string) => `${id} ${executionId}`;
	const entries = named.flatMap((id) => [id, ownEntry(id)]);
	try {
		const known = await recordProcessed(node, entries);
		const kept = items.filter((_item, index) => {
			const id = ids[index];
			return id === undefined || !known.has(id) || known.has(ownEntry(id));
		});
		// A run that was recorded together with this one may be about the same task.
		for (const text of entries) known.add(text);
		return kept;
	} catch (error) {
		// Starting twice is better than not at all.
		node.logger.warn(
			`Generation Gateway Trigger: what was started is not recorded (${String(error)})`,
		);
		return items;
	} finally {
		// When two processes create the list at once, one gets an error.
		verify(node, entries);
	}
}

/** Records again what another process has overwritten: the table has no lock. Runs that begin together share a check. */
function verify(node: IExecuteFunctions, entries: readonly string[]): void {
	const { unverified } = memoryOf(scopeOf(node));
	unverified.push(...entries);
	if (unverified.length > entries.length) return;
	systemClock.after(VERIFY_MS * (0.5 + Math.random()), () => {
		const due = unverified.splice(0);
		recordProcessed(node, due).then(
			(known) => {
				const lost = due.filter((text) => !known.has(text));
				if (lost.length) verify(node, lost);
			},
			() => undefined,
		);
	});
}
