import { median, round, type Measure } from './result';
import { getBenchHost, type RunWorkflow, type WorkflowRun } from './benchHost';
import { createFlow } from './workflows/flow';
import { loopOneByOne, loopTogether, WAIT_SECONDS } from './workflows/loop';
import { serial } from './workflows/others';
import { image } from './workflows/ours';

const TASKS = 100;
const TASK_MS = 3_000;
const ROUNDS = 3;
/** Who takes one row after the other is measured with these many, and its time and requests are multiplied. */
const SAMPLE = 10;

const rows = (count: number) =>
	Array.from({ length: count }, (_, row) => ({ prompt: `Picture ${row}` }));

interface Contender {
	label: string;
	run: RunWorkflow;
	isOneByOne?: boolean;
}

async function measure({ run, isOneByOne }: Contender): Promise<WorkflowRun> {
	const count = isOneByOne ? SAMPLE : TASKS;
	const { ms, items, requests, growth } = await run(rows(count));
	const done = items.filter(({ status }) => status === 'completed').length;
	if (done !== count)
		throw new Error(`${done} of ${count} tasks completed: ${JSON.stringify(items[0])}`);
	const times = TASKS / count;
	return { ms: ms * times, items, requests: requests * times, growth };
}

/** 100 tasks of 3 s. */
export const batch: Measure = {
	name: 'batch',
	async run() {
		const benchHost = await getBenchHost();
		const { sandbox } = benchHost;
		sandbox.settings.taskMs = TASK_MS;
		const ours: Contender = {
			label: 'Generation Gateway',
			run: await benchHost.deploy(createFlow('oursBatch', 'allEntries', image())),
		};
		const together: Contender = {
			label: 'Loop template, all rows at once',
			run: await benchHost.deploy(loopTogether(sandbox)),
		};
		const apart: Contender = {
			label: 'Loop template, Loop Over Items',
			run: await benchHost.deploy(loopOneByOne(sandbox)),
			isOneByOne: true,
		};
		const single: Contender = {
			label: 'Serial node',
			run: await benchHost.deploy(createFlow('serialBatch', 'allEntries', serial(sandbox))),
			isOneByOne: true,
		};
		for (const { run } of [ours, together]) await run(rows(TASKS));

		const runs = new Map<Contender, WorkflowRun[]>([
			[ours, []],
			[together, []],
			[single, []],
			[apart, []],
		]);
		for (let round = 0; round < ROUNDS; round += 1)
			for (const [contender, all] of runs)
				if (round === 0 || !contender.isOneByOne) all.push(await measure(contender));

		const figures = [...runs].map(([{ label, isOneByOne }, all]) => ({
			label: isOneByOne ? `${label} (${SAMPLE} rows x ${TASKS / SAMPLE})` : label,
			seconds: median(all.map(({ ms }) => ms)) / 1000,
			requests: median(all.map(({ requests }) => requests)),
			growth: median(all.map(({ growth }) => growth)),
		}));
		const [first, , , loopApart] = figures;
		const slowest = TASK_MS / 1000;
		return {
			name: 'batch',
			title: `${TASKS} tasks of ${slowest} s`,
			description: [
				`The same ${TASKS} image tasks of ${slowest} s each. The loop template is HTTP Request, Wait (${WAIT_SECONDS} s, the node's own default), HTTP Request, If, and back to Wait; ` +
					'once with all rows running through it together, and once in Loop Over Items, as it is drawn for a job per row. The serial node submits and awaits one row after another and polls every second. ' +
					`Those two were run with ${SAMPLE} rows and their time and requests multiplied, since they do nothing but the same again. Nobody can be faster than the slowest task.`,
				`With all rows together, the template is as fast as its Wait: whatever ends early waits for the full ${WAIT_SECONDS} s, and a longer task for the next ${WAIT_SECONDS} s. On tasks of ${slowest} s nobody can be ten times faster than that: the bound is for the template that takes one row after another.`,
				'The time beyond the slowest task: n8n takes about a tenth of a second to begin, then the submissions of all tasks about a fifth, so the last task ends that much later. When one task has ended, the others of its model are polled once they are as old.',
			],
			tables: [
				{
					columns: [
						'Contender',
						'Total (s)',
						'x the slowest task',
						'Requests',
						'Growth of n8n at most (MB)',
						'Ours is faster by',
					],
					rows: figures.map(({ label, seconds, requests, growth }) => [
						label,
						round(seconds),
						round(seconds / slowest),
						requests,
						Math.round(growth),
						`${round(seconds / first!.seconds)} x`,
					]),
				},
			],
			targets: [
				{
					description: 'Time against the slowest task',
					value: round(first!.seconds / slowest),
					most: 1.15,
					unit: 'x',
				},
				{
					description: 'Loop template in Loop Over Items against ours',
					value: round(loopApart!.seconds / first!.seconds),
					least: 10,
					unit: 'x',
				},
			],
			plots: [
				{
					kind: 'bars',
					name: 'batch',
					title: `${TASKS} tasks of ${slowest} s: total time`,
					unit: 'seconds',
					isLogarithmic: true,
					bars: figures.map(({ label, seconds }, at) => ({
						label,
						value: round(seconds),
						isOurs: at === 0,
					})),
					limit: { label: 'slowest task', value: slowest },
				},
			],
		};
	},
};
