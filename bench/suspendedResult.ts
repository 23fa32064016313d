import { percentile, type Callback } from './callbackLoad';
import { round, type Result } from './result';

/** What one kind of execution has cost. */
export interface SuspendedRun {
	executions: number;
	tasks: number;
	suspendWrites: { table: string; rows: number }[];
	resumeWrites: { table: string; rows: number }[];
	/** Polls while the executions were suspended, the submissions and what goes with them left out. */
	polls: number;
	/** Processor seconds of n8n from the first callback to the last execution. */
	cpuSeconds: number;
	callbacks: Callback[];
}

interface SuspendedRuns {
	ours: SuspendedRun;
	/** n8n's own node Wait. */
	waits: SuspendedRun;
	perSecond: number;
}

const sum = (writes: SuspendedRun['suspendWrites']) =>
	writes.reduce((total, { rows }) => total + rows, 0);
const writesOf = ({ suspendWrites, resumeWrites, executions }: SuspendedRun) =>
	(sum(suspendWrites) + sum(resumeWrites)) / executions;
const listWrites = (writes: SuspendedRun['suspendWrites'], executions: number) =>
	writes.map(({ table, rows }) => `${table} ${round(rows / executions)}`).join(', ');

export function toSuspendedResult({ ours, waits, perSecond }: SuspendedRuns): Result {
	const answers = ours.callbacks.map(({ answerMs }) => answerMs);
	const taken = ours.callbacks.filter(({ status }) => status === 200).length;
	const worst = Math.max(...answers);
	return {
		name: 'suspended',
		title: `${ours.executions.toLocaleString('en')} suspended executions of ${ours.tasks / ours.executions} tasks`,
		description: ['TODO'],
		tables: [
			{
				columns: [`Callbacks at ${perSecond} a second`, ''],
				rows: [
					['Callbacks', ours.callbacks.length],
					['Answered, median (ms)', round(percentile(answers, 0.5))],
					['Answered, 95 % (ms)', round(percentile(answers, 0.95))],
					['Answered, 99.9 % (ms)', round(percentile(answers, 0.999))],
					['Answered, worst (ms)', round(worst)],
					['Taken at the first call', taken],
					['Processor of n8n (ms a callback)', round((1000 * ours.cpuSeconds) / ours.tasks)],
					['Polls a task while suspended', round(ours.polls / ours.tasks)],
				],
			},
			{
				columns: [
					'Rows written to PostgreSQL',
					'An execution',
					'A task',
					'Until suspended, an execution',
					'From the first callback on, an execution',
				],
				rows: [
					['Generation Gateway', ours] as const,
					["n8n's Wait, called once", waits] as const,
				].map(([label, run]) => [
					label,
					round(writesOf(run)),
					round((writesOf(run) * run.executions) / run.tasks),
					listWrites(run.suspendWrites, run.executions),
					listWrites(run.resumeWrites, run.executions),
				]),
			},
		],
		targets: [
			{
				description: 'Callbacks answered, worst',
				value: round(worst),
				most: 1_000,
				unit: 'ms',
			},
			{
				description: "Rows written for an execution against n8n's Wait",
				value: round(writesOf(ours) / writesOf(waits)),
				most: 1,
				unit: 'x',
			},
			{
				description: 'Polls of a task while suspended',
				value: round(ours.polls / ours.tasks),
				most: 3,
				unit: 'polls',
			},
		],
		plots: [
			{
				kind: 'lines',
				name: 'callbacks',
				title: `Answers to ${answers.length.toLocaleString('en')} callbacks at ${perSecond} a second`,
				across: 'share of the callbacks (%)',
				unit: 'milliseconds',
				isLogarithmic: true,
				lines: [
					{
						label: 'Answered within',
						isOurs: true,
						points: [1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 100].map((share) => [
							share,
							Math.max(1, percentile(answers, share / 100)),
						]),
					},
					{
						label: 'Wanted',
						isLimit: true,
						points: [
							[1, 1_000],
							[100, 1_000],
						],
					},
				],
			},
		],
	};
}
