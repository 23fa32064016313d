import type { TaskRecord } from '../../sandbox';
import { isBetter, isHome, type Ending } from './rowResult';

/** One thing a user asked for. Its name is the prompt of its task, so the ledger knows it. */
export interface Row {
	name: string;
	/** What it came home with, over all rounds. */
	ending?: Ending;
}

/** What the campaign saw. */
export interface Evidence {
	rows: readonly Row[];
	/** Every task at the gateway, once all have ended. */
	ledger: readonly TaskRecord[];
	/** Runs that a forged callback started. */
	forged: readonly string[];
	/** Places where a key was found. */
	leaks: readonly string[];
}

/** What must not happen, each with the rows it happened to. */
export interface Findings {
	/** A billed task that no row came home with, or a row that never came home. */
	lost: string[];
	/** A row with more than one billed task. */
	twice: string[];
	/** A completed row without its links, or without files it asked for. */
	missing: string[];
	/** An item that tells something else than the ledger: another row's task, another outcome, another cost. */
	untrue: string[];
	forged: string[];
	leaked: string[];
}

/**
 * Holds what came out of the workflows against the sandbox's own book. A row is home with a completed
 * task and its links, or with the word that its task failed and cost nothing; all else is a finding.
 */
export function audit({ rows, ledger, forged, leaks }: Evidence): Findings {
	const byId = new Map(ledger.map((entry) => [entry.task_id, entry]));
	const billed = ledger.filter(({ cost }) => cost > 0);
	const delivered = new Set(rows.map(({ ending }) => ending?.taskId));
	const times = new Map<string, number>();
	for (const { body } of billed)
		times.set(String(body.prompt), (times.get(String(body.prompt)) ?? 0) + 1);

	const unclaimed = billed
		.filter(({ task_id }) => !delivered.has(task_id))
		.map(({ task_id, body }) => `${String(body.prompt)}: ${task_id} is paid and in no item`);
	const astray = rows
		.filter(({ ending }) => !isHome(ending))
		.map(({ name, ending }) => `${name}: never came home (${ending?.message ?? 'no item'})`);
	return {
		lost: [...unclaimed, ...astray],
		twice: [...times]
			.filter(([, count]) => count > 1)
			.map(([name, count]) => `${name}: billed ${count} times`),
		missing: rows
			.filter(({ ending }) => ending?.kind === 'completed' && !ending.isWhole)
			.map(({ name, ending }) => `${name}: ${ending?.taskId} without its result`),
		untrue: rows.flatMap((row) => untruthIn(row, byId) ?? []),
		forged: [...forged],
		leaked: [...leaks],
	};
}

function untruthIn({ name, ending }: Row, byId: Map<string, TaskRecord>): string | undefined {
	if (!isHome(ending)) return undefined;
	const entry = byId.get(ending.taskId ?? '');
	if (!entry)
		return `${name}: names ${ending.taskId ?? 'no task'}, which the gateway does not know`;
	if (entry.body.prompt !== name) return `${name}: has the task of ${String(entry.body.prompt)}`;
	if (entry.status !== ending.kind)
		return `${name}: ${ending.kind} here, ${entry.status} at the gateway`;
	if (entry.cost !== ending.cost)
		return `${name}: cost ${ending.cost} here, ${entry.cost} at the gateway`;
	return undefined;
}

/** Keeps the better of what a row has come home with so far and what it came home with now. */
export function bringHome(row: Row, ending: Ending): void {
	if (isBetter(ending, row.ending)) row.ending = ending;
}

export const countOf = (findings: Findings): number =>
	Object.values(findings).reduce((sum: number, list: string[]) => sum + list.length, 0);
