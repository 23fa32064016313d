import { percentile, type CallbackLoad } from './callbackLoad';
import { round, type Result } from './result';
import { TASKS_EACH, type EndedRun } from './suspendedHost';
import type { TableWrites } from './databaseWrites';

export interface SuspendedRuns {
	/** That were suspended at once. */
	executions: number;
	ended: EndedRun;
	/** n8n's own node Wait. */
	waits: EndedRun;
	/** By which n8n grew for each execution. */
	kilobytes: number;
	/** Ours by rising rate, then those it is compared with. */
	loads: CallbackLoad[];
}

const WANTED_RATE = 50;
const sum = (writes: TableWrites[]) => writes.reduce((total, { rows }) => total + rows, 0);
const writesOf = ({ suspendWrites, resumeWrites, executions }: EndedRun) =>
	(sum(suspendWrites) + sum(resumeWrites)) / executions;
const listWrites = (writes: TableWrites[], executions: number) =>
	writes.map(({ table, rows }) => `${table} ${round(rows / executions)}`).join(', ');
const worstOf = ({ answers }: CallbackLoad) => Math.max(...answers.map(({ ms }) => ms));
const shareOf = ({ answers }: CallbackLoad, share: number) =>
	percentile(
		answers.map(({ ms }) => ms),
		share,
	);
const isOurs = ({ label }: CallbackLoad) => label === 'Generation Gateway';

export function toSuspendedResult(runs: SuspendedRuns): Result {
	const { ended, waits, kilobytes, loads, executions } = runs;
	const ours = loads.filter(isOurs);
	const wanted = ours.find(({ perSecond }) => perSecond === WANTED_RATE)!;
	const slow = ours.find((load) => worstOf(load) > 1_000);
	const answered = ours.slice(0, slow && ours.indexOf(slow));
	return {
		name: 'suspended',
		title: `${executions.toLocaleString('en')} suspended executions of ${TASKS_EACH} tasks`,
		description: [
			`${executions.toLocaleString('en')} executions that each wait for ${TASKS_EACH} tasks, in one n8n process on PostgreSQL. Tasks end in a random order at a steady rate for half a minute, and the gateway calls back for each. Beside it, at the highest rate, a node made for this contest that suspends its execution and answers each call without doing anything: what n8n itself takes; and this package in an n8n that evaluates expressions without an isolate of their own (N8N_EXPRESSION_ENGINE=legacy), both with fewer executions. A call that is not answered is given up after 30 s, and n8n still works on it while the next rate begins, so rates above the first that is too high say only that it is too high.`,
			`A callback writes nothing to the database, and only the last one of an execution resumes it. What n8n writes for an execution that is suspended and goes on once is in the second table, beside n8n's own node Wait, counted by PostgreSQL. An execution per task would write it ${TASKS_EACH} times. The rows of execution_metadata are the task IDs, the models and the cost by which an execution is found. n8n grew by ${Math.round(kilobytes)} KB for each suspended execution.`,
			'A profile of n8n showed where the time of a callback goes: n8n reads the whole execution, builds its workflow twice, and makes an isolate for expressions and throws it away. Three things that this node added are gone while a task runs: reading the credential (an isolate of its own), evaluating the stored items (an expression), and 13 polls a task. The process that suspends an execution keeps what its run knew, the credential for a quarter of an hour. Where a stop is to cancel tasks, the node still calls its own link at every check. What is left of ours is about one poll, and an expression that n8n evaluates for each webhook of a node of version 1. So the figure is not reached in an n8n as it comes: a node that only answers does not reach it either. Without isolates n8n answers all in time.',
		],
		tables: [
			{
				columns: [
					'Callbacks',
					'A second',
					'Count',
					'Median (ms)',
					'95 % (ms)',
					'99 % (ms)',
					'Worst (ms)',
					'Taken at once',
					'Processor of n8n (ms a callback)',
				],
				rows: loads.map((load) => [
					load.label,
					load.perSecond,
					load.answers.length,
					shareOf(load, 0.5),
					shareOf(load, 0.95),
					shareOf(load, 0.99),
					worstOf(load),
					load.answers.filter(({ status }) => status === 200).length,
					round(load.cpuMs),
				]),
			},
			{
				columns: [
					'Rows written to PostgreSQL',
					'An execution',
					'A task',
					'Until it is suspended',
					'From the first callback on',
				],
				rows: [
					['Generation Gateway', ended] as const,
					["n8n's Wait, called once", waits] as const,
				].map(([label, run]) => [
					label,
					round(writesOf(run)),
					round(writesOf(run) / TASKS_EACH),
					listWrites(run.suspendWrites, run.executions),
					listWrites(run.resumeWrites, run.executions),
				]),
			},
		],
		targets: [
			{
				description: `Callbacks at ${WANTED_RATE} a second, worst answer`,
				value: worstOf(wanted),
				most: 1_000,
				unit: 'ms',
			},
			{
				description: 'The same in an n8n without isolates',
				value: worstOf(loads.find(({ label }) => label.endsWith('legacy'))!),
				most: 1_000,
				unit: 'ms',
			},
			{
				description: 'Callbacks a second that are all answered within 1 s',
				value: Math.max(0, ...answered.map(({ perSecond }) => perSecond)),
				least: WANTED_RATE,
				unit: 'a second',
			},
			{
				description: "Rows written for an execution against n8n's Wait",
				value: round(writesOf(ended) / writesOf(waits)),
				most: 1,
				unit: 'x',
			},
			{
				description: 'Polls of a task while suspended',
				value: round(ended.polls / (ended.executions * TASKS_EACH)),
				most: 3,
				unit: 'polls',
			},
		],
		plots: [
			{
				kind: 'bars',
				name: 'callbacks',
				title: 'Callbacks to suspended executions: 95 % answered within',
				unit: 'milliseconds',
				isLogarithmic: true,
				bars: loads.map((load) => ({
					label: `${load.label}, ${load.perSecond} a second`,
					value: shareOf(load, 0.95),
					isOurs: isOurs(load),
				})),
				limit: { label: 'wanted', value: 1_000 },
			},
		],
	};
}
