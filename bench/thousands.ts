import { getBenchHost, type RunWorkflow, type WorkflowRun } from './benchHost';
import { median, round, type Measure, type Target } from './result';
import { createFlow } from './workflows/flow';
import { bare } from './workflows/others';
import { image } from './workflows/ours';

const CONCURRENCY = 50;
/** Milliseconds of a call at a gateway that is not on this machine. */
const DISTANCE_MS = 300;

interface Case {
	tasks: number;
	seconds: number;
	rounds: number;
	/** In a process that has just started. */
	isFresh?: boolean;
}

const CASES: Case[] = [
	{ tasks: 100, seconds: 3, rounds: 1, isFresh: true },
	{ tasks: 1_000, seconds: 3, rounds: 3 },
	{ tasks: 10_000, seconds: 60, rounds: 1, isFresh: true },
];

const rows = (count: number) =>
	Array.from({ length: count }, (_, row) => ({ prompt: `Picture ${row}` }));

/** Runs the workflow of each contender in turn; gives their runs. */
async function compare(
	{ tasks, seconds, rounds, isFresh }: Case,
	contenders: readonly RunWorkflow[],
): Promise<WorkflowRun[][]> {
	const benchHost = await getBenchHost();
	benchHost.sandbox.settings.taskMs = seconds * 1_000;
	const runs = contenders.map((): WorkflowRun[] => []);
	for (let count = 0; count < rounds; count += 1)
		for (const [at, run] of contenders.entries()) {
			if (isFresh) await benchHost.restart();
			const ended = await run(rows(tasks));
			const done = ended.items.filter(({ status }) => status === 'completed').length;
			if (done !== tasks) throw new Error(`${done} of ${tasks} tasks were completed`);
			runs[at]!.push(ended);
		}
	return runs;
}

const secondsOf = (runs: readonly WorkflowRun[]) => median(runs.map(({ ms }) => ms)) / 1_000;
const callsOf = (runs: readonly WorkflowRun[], tasks: number) =>
	median(runs.map(({ requests }) => requests)) / tasks;

/** Thousands of tasks, beside who makes nothing but the calls. */
export const thousands: Measure = {
	name: 'thousands',
	async run() {
		const benchHost = await getBenchHost();
		const { settings } = benchHost.sandbox;
		const set = await benchHost.deploy(
			createFlow('oursSet', 'allEntries', image({ concurrency: CONCURRENCY })),
		);
		const table: (string | number)[][] = [];
		const targets: Target[] = [];
		for (const each of CASES) {
			const { tasks, seconds, isFresh } = each;
			const taskMs = seconds * 1_000;
			const name = `bare${tasks}`;
			const calls = await benchHost.deploy(
				createFlow(name, 'allEntries', bare(CONCURRENCY, taskMs)),
			);
			const [ours = [], theirs = []] = await compare(each, [set, calls]);
			const label = `${tasks.toLocaleString('en')} tasks of ${seconds} s${isFresh ? ', fresh process' : ''}`;
			for (const [contender, runs] of [
				['Generation Gateway', ours],
				['Bare calls', theirs],
			] as const)
				table.push([
					label,
					contender,
					round(secondsOf(runs)),
					round(secondsOf(runs) / seconds),
					round(callsOf(runs, tasks)),
					Math.round(Math.max(...runs.map(({ growth }) => growth))),
				]);
			targets.push(
				tasks === 100
					? {
							description: `${label}: time against the slowest`,
							value: round(secondsOf(ours) / seconds),
							most: 1.15,
							unit: 'x',
						}
					: {
							description: `${label}: time against bare calls`,
							value: round(secondsOf(ours) / secondsOf(theirs)),
							most: 1.15,
							unit: 'x',
						},
				{
					description: `${label}: calls`,
					value: round(callsOf(ours, tasks)),
					most: 3,
					unit: 'a task',
				},
			);
			if (tasks === 10_000)
				targets.push({
					description: `${label}: memory beyond bare calls`,
					value: round(((ours[0]!.growth - theirs[0]!.growth) * 1_024) / tasks),
					most: 5,
					unit: 'KB an item',
				});
		}

		const fixed = await benchHost.deploy(
			createFlow('oursFixed', 'allEntries', image({ concurrency: 20 })),
		);
		const growing = await benchHost.deploy(createFlow('oursGrowing', 'allEntries', image()));
		settings.apiLatencyMs = DISTANCE_MS;
		const far = { tasks: 1_000, seconds: 3, rounds: 1 };
		const byConcurrency = await compare(far, [fixed, set, growing]).finally(
			() => (settings.apiLatencyMs = 0),
		);
		return {
			name: 'thousands',
			title: 'Thousands of tasks',
			description: [
				`Image tasks, ${CONCURRENCY} calls at a time, through the node and through one that makes nothing but the calls, with n8n's own HTTP helper and the same credential: it knows how long the tasks take, submits each and gets it once when it has ended. Both evaluate one expression for each item. In a fresh process n8n was started anew before each run.`,
				`A profile of 1,000 tasks showed n8n reading the credential from its database and decrypting it for each call, and this node once more for each answer; a timer and a listener for each thing that is waited for; and five polls a task. The node now reads the credential every five seconds of a run, keeps one timer and one listener, and polls a few tasks of a model, and of older ones fewer, until one is completed. What is left is what bare calls cost too: axios, a connection for each call, and the expression of each item, which is evaluated before anything is sent.`,
				`And 1,000 tasks of 3 s at a gateway that takes ${DISTANCE_MS} ms for each call, with the Concurrency that was the fixed default, with ${CONCURRENCY}, and with none set, which is up to 100 while the gateway keeps up.`,
			],
			tables: [
				{
					columns: [
						'Tasks',
						'Contender',
						'Total (s)',
						'x the slowest task',
						'Calls a task',
						'Growth of n8n at most (MB)',
					],
					rows: table,
				},
				{
					columns: ['1,000 tasks of 3 s, calls of 0.3 s', 'Total (s)'],
					rows: ['Concurrency 20', `Concurrency ${CONCURRENCY}`, 'not set'].map((label, at) => [
						label,
						round(secondsOf(byConcurrency[at]!)),
					]),
				},
			],
			targets,
			plots: [
				{
					kind: 'bars',
					name: 'thousands',
					title: 'Thousands of tasks: total time against the slowest task',
					unit: 'times',
					bars: table.map(([tasks, contender, , ratio]) => ({
						label: `${contender}: ${tasks}`,
						value: Number(ratio),
						isOurs: contender === 'Generation Gateway',
					})),
					limit: { label: 'slowest task', value: 1 },
				},
			],
		};
	},
};
