import { suspended } from './suspended';
import { watched } from './watched';
import { rounded, type Measure, type Target } from './result';
import { seenOnAverage, type Progress, type Seen } from './waiting';

const LENGTHS = [2, 5, 10, 20, 30, 60, 120, 300];
/** What the node asks of the submission of tasks that each have a call to themselves. */
const PREFER_MS = 50_000;

const steady: Progress = (share) => share * 100;
const silent: Progress = () => 0;
const inQuarters: Progress = (share) => Math.floor(share * 4) * 25;

/** Ways a task is waited for. The last are the hard ones: nothing, or little, tells how long it will take. */
const WAYS: { label: string; progress: Progress; waitedMs?: number; isOurs?: boolean }[] = [
	{ label: 'Generate, its submission waits 50 s', progress: silent, waitedMs: PREFER_MS },
	{ label: 'Await by ID, progress told', progress: steady },
	{ label: 'Await by ID, progress in quarters', progress: inQuarters },
	{ label: 'Await by ID, no progress told', progress: silent },
];

const allowed = (seconds: number) => 0.25 + 0.03 * seconds;

/** From the end of a task to its item. */
export const detection: Measure = {
	name: 'detection',
	async run() {
		const simulated: Seen[][] = [];
		for (const { progress, waitedMs } of WAYS) {
			const ofWay: Seen[] = [];
			for (const seconds of LENGTHS) ofWay.push(await seenOnAverage(seconds, progress, waitedMs));
			simulated.push(ofWay);
		}
		const [real, parked] = [await watched(), await suspended()];
		const minute = LENGTHS.indexOf(60);
		const worst = (way: number) =>
			Math.max(
				...LENGTHS.map((seconds, at) => simulated[way]![at]!.late / 1000 / allowed(seconds)),
			);
		const targets: Target[] = WAYS.flatMap(({ label }, way): Target[] => [
			{
				says: `${label}: delay against 0.25 s + 3 %, at the worst length`,
				value: rounded(worst(way)),
				most: 1,
				unit: 'x',
			},
			{
				says: `${label}: looks at a task of 60 s`,
				value: rounded(simulated[way]![minute]!.looks),
				most: 15,
				unit: 'looks',
			},
		]);
		const ours = real.filter(({ isOurs }) => isOurs);
		return {
			name: 'detection',
			title: 'From the end of a task to its item',
			says: [
				'By a clock that jumps: the code with which the node waits is the real one, the gateway is four lines that know when the task ends, a call takes 20 ms, and 60 tasks within a tenth of each length are averaged. ' +
					'Where a run has no more items than calls at a time (20 unless set), the submission itself waits up to 50 s for the result (`Prefer: wait`), so shorter tasks are not looked at at all.',
				'A gateway that never says how far a task is leaves the choice between looking often and seeing the end soon: a mean delay of 0.25 s + 3 % takes at least 35 looks in a minute (the sum of pauses of 0.5 s + 6 %), so 15 looks and that delay exclude each other there. The node keeps to the delay.',
				'In the real n8n, by its own clock, from the end of the task at the gateway to the answer of the workflow, against the loop template with its own Wait of 5 s and with one of 10 s. Suspended means parked and called back by the gateway:',
			],
			tables: [
				{
					columns: [
						'Task (s)',
						'Wanted (s)',
						...WAYS.map(({ label }) => `${label}: delay (s), looks`),
					],
					rows: LENGTHS.map((seconds, at) => [
						seconds,
						rounded(allowed(seconds)),
						...simulated.map(
							(ofWay) => `${rounded(ofWay[at]!.late / 1000)}, ${rounded(ofWay[at]!.looks)}`,
						),
					]),
				},
				{
					columns: [
						'In n8n',
						'Task (s)',
						'Tasks',
						'Delay, mean (s)',
						'Delay, longest (s)',
						'Looks, mean',
					],
					rows: [...real, ...parked].map(({ label, seconds, count, late, longest, looks }) => [
						label,
						seconds,
						count,
						rounded(late),
						rounded(longest),
						rounded(looks),
					]),
				},
			],
			targets: [
				...targets,
				...ours.map(({ label, seconds, late }) => ({
					says: `${label}, ${seconds} s, in n8n: mean delay`,
					value: rounded(late),
					most: rounded(allowed(seconds)),
					unit: 's',
				})),
				...ours
					.filter(({ seconds }) => seconds === 60)
					.map(({ label, looks }) => ({
						says: `${label}, 60 s, in n8n: looks`,
						value: rounded(looks),
						most: 15,
						unit: 'looks',
					})),
				{
					says: 'Suspended, in n8n: longest delay',
					value: rounded(Math.max(...parked.map(({ longest }) => longest))),
					most: 1,
					unit: 's',
				},
			],
			plots: [
				{
					kind: 'lines',
					name: 'detection',
					title: 'Mean delay from the end of a task to its item, by its length',
					unit: 'seconds of delay',
					across: 'seconds the task takes',
					isAcrossLogarithmic: true,
					lines: [
						...WAYS.map(({ label }, way) => ({
							label,
							isOurs: true,
							points: LENGTHS.map((seconds, at): [number, number] => [
								seconds,
								rounded(simulated[way]![at]!.late / 1000),
							]),
						})),
						{
							label: 'Wanted: 0.25 s + 3 %',
							isLimit: true,
							points: LENGTHS.map((seconds): [number, number] => [seconds, allowed(seconds)]),
						},
					],
				},
			],
		};
	},
};
