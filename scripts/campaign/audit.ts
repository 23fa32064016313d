import type { TaskRecord } from '../../sandbox';
import { isBetter, isFinal, type RowResult } from './rowResult';

/** One row of a user's table. Its name is the prompt of its task, so that the task is found in the sandbox. */
export interface Row {
	name: string;
	/** Its best result over all rounds. */
	result?: RowResult;
}

/** What the campaign saw. */
export interface Evidence {
	rows: readonly Row[];
	/** Every task at the gateway, once all have ended. */
	tasks: readonly TaskRecord[];
	/** Runs that a forged callback started. */
	forgedRuns: readonly string[];
	/** Places where a key was found. */
	leaks: readonly string[];
}

/** What must not happen, each with the rows it happened to. */
export interface Findings {
	/** A billed task that is in no row's result, or a row without a final result. */
	lostTasks: string[];
	/** A row with more than one billed task. */
	billedTwice: string[];
	/** A completed row without its links, or without the files it requested. */
	missingResults: string[];
	/** An item that differs from the sandbox: another row's task, another status, another cost. */
	contradictions: string[];
	forgedRuns: string[];
	leakedKeys: string[];
}

/**
 * Compares the results of the workflows with the sandbox's tasks. A row must end with a completed task and
 * its links, or with a failed task that cost nothing; anything else is a finding.
 */
export function audit({ rows, tasks, forgedRuns, leaks }: Evidence): Findings {
	const byId = new Map(tasks.map((task) => [task.task_id, task]));
	const billed = tasks.filter(({ cost }) => cost > 0);
	const claimed = new Set(rows.map(({ result }) => result?.taskId));
	const times = new Map<string, number>();
	for (const { body } of billed)
		times.set(String(body.prompt), (times.get(String(body.prompt)) ?? 0) + 1);

	const unclaimedTasks = billed
		.filter(({ task_id }) => !claimed.has(task_id))
		.map(({ task_id, body }) => `${String(body.prompt)}: ${task_id} is paid and in no item`);
	const unfinished = rows
		.filter(({ result }) => !isFinal(result))
		.map(({ name, result }) => `${name}: has no final result (${result?.message ?? 'no item'})`);
	return {
		lostTasks: [...unclaimedTasks, ...unfinished],
		billedTwice: [...times]
			.filter(([, count]) => count > 1)
			.map(([name, count]) => `${name}: billed ${count} times`),
		missingResults: rows
			.filter(({ result }) => result?.kind === 'completed' && !result.hasAllFiles)
			.map(({ name, result }) => `${name}: ${result?.taskId} without its result`),
		contradictions: rows.flatMap((row) => findContradiction(row, byId) ?? []),
		forgedRuns: [...forgedRuns],
		leakedKeys: [...leaks],
	};
}

function findContradiction(
	{ name, result }: Row,
	byId: Map<string, TaskRecord>,
): string | undefined {
	if (!isFinal(result)) return undefined;
	const task = byId.get(result.taskId ?? '');
	if (!task) return `${name}: names ${result.taskId ?? 'no task'}, which the gateway does not know`;
	if (task.body.prompt !== name) return `${name}: has the task of ${String(task.body.prompt)}`;
	if (task.status !== result.kind)
		return `${name}: ${result.kind} here, ${task.status} at the gateway`;
	if (task.cost !== result.cost)
		return `${name}: cost ${result.cost} here, ${task.cost} at the gateway`;
	return undefined;
}

/** Keeps the better of a row's previous and new result. */
export function recordResult(row: Row, result: RowResult): void {
	if (isBetter(result, row.result)) row.result = result;
}

export const countFindings = (findings: Findings): number =>
	Object.values(findings).reduce((sum: number, list: string[]) => sum + list.length, 0);
