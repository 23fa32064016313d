import { measureSuspended } from './suspended';
import { measureAwaited } from './watched';
import { round, type Measure, type Target } from './result';
import { simulateAverage, type Progress, type Detection } from './waiting';

const LENGTHS = [2, 5, 10, 20, 30, 60, 120, 300];
/** How long the submission waits for the result when each task has a call of its own. */
const PREFER_MS = 50_000;

const steady: Progress = (share) => share * 100;
const silent: Progress = () => 0;
const inQuarters: Progress = (share) => Math.floor(share * 4) * 25;

/** Ways to await a task. The last are the hard ones: little or nothing shows how long it will take. */
const WAYS: { label: string; progress: Progress; waitedMs?: number; isLearned?: boolean }[] = [
	{ label: 'Generate, its submission waits 50 s', progress: silent, waitedMs: PREFER_MS },
	{ label: 'Await by ID, progress reported', progress: steady },
	{ label: 'Await by ID, progress in quarters', progress: inQuarters },
	{ label: 'Await by ID, no progress reported', progress: silent },
	{ label: 'The same, in a later run', progress: silent, isLearned: true },
	{ label: 'Quarters, in a later run', progress: inQuarters, isLearned: true },
];

/** The shortest of the tasks of a length, as a share of it. */
const SHORTEST_SHARE = 0.9;

const getAllowedSeconds = (seconds: number) => 0.25 + 0.03 * seconds;

/** From the end of a task to its item. */
export const detection: Measure = {
	name: 'detection',
	async run() {
		const simulated: Detection[][] = [];
		for (const { progress, waitedMs, isLearned } of WAYS) {
			const ofWay: Detection[] = [];
			for (const seconds of LENGTHS) {
				const knownMs = isLearned ? seconds * 1_000 * SHORTEST_SHARE : undefined;
				ofWay.push(await simulateAverage(seconds, progress, { waitedMs, knownMs }));
			}
			simulated.push(ofWay);
		}
		const [real, suspended] = [await measureAwaited(), await measureSuspended()];
		const minute = LENGTHS.indexOf(60);
		const worst = (way: number) =>
			Math.max(
				...LENGTHS.map(
					(seconds, at) => simulated[way]![at]!.delayMs / 1000 / getAllowedSeconds(seconds),
				),
			);
		const targets: Target[] = WAYS.flatMap(({ label }, way): Target[] => [
			{
				description: `${label}: delay against 0.25 s + 3 %, at the worst length`,
				value: round(worst(way)),
				most: 1,
				unit: 'x',
			},
			{
				description: `${label}: polls of a task of 60 s`,
				value: round(simulated[way]![minute]!.polls),
				most: 15,
				unit: 'polls',
			},
		]);
		const ours = real.filter(({ isOurs }) => isOurs);
		return {
			name: 'detection',
			title: 'From the end of a task to its item',
			description: [
				'With fake timers: the code with which the node waits is the real one, the gateway is four lines that know when the task ends, a call takes 20 ms, and 60 tasks within a tenth of each length are averaged. ' +
					'Where a run has no more items than calls at a time (20, or the option Concurrency), the submission itself waits up to 50 s for the result (`Prefer: wait`), so shorter tasks are not polled at all.',
				'A gateway that never says how far a task is leaves the choice between polling often and seeing the end soon: a mean delay of 0.25 s + 3 % takes at least 35 polls in a minute (the sum of pauses of 0.5 s + 6 %), so 15 polls and that delay exclude each other there, and a mean delay of 5 % still takes 31. The node keeps to the delay in a first run. What tasks of the model took at least is kept for later runs, where n8n saves it (the static data of an active workflow); these poll rarely until then. In the later runs here, a task takes up to a fifth longer than the shortest one before.',
				'The second table is measured in the real n8n, by its own clock, from the end of the task at the gateway to the answer of the workflow, against the loop template with its own Wait of 5 s and with one of 10 s. Suspended means suspended until the callback of the gateway.',
			],
			tables: [
				{
					columns: [
						'Task (s)',
						'Wanted (s)',
						...WAYS.map(({ label }) => `${label}: delay (s), polls`),
					],
					rows: LENGTHS.map((seconds, at) => [
						seconds,
						round(getAllowedSeconds(seconds)),
						...simulated.map(
							(ofWay) => `${round(ofWay[at]!.delayMs / 1000)}, ${round(ofWay[at]!.polls)}`,
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
						'Polls, mean',
					],
					rows: [...real, ...suspended].map(
						({ label, seconds, count, delaySeconds, longest, polls }) => [
							label,
							seconds,
							count,
							round(delaySeconds),
							round(longest),
							round(polls),
						],
					),
				},
			],
			targets: [
				...targets,
				...ours.map(({ label, seconds, delaySeconds }) => ({
					description: `${label}, ${seconds} s, in n8n: mean delay`,
					value: round(delaySeconds),
					most: round(getAllowedSeconds(seconds)),
					unit: 's',
				})),
				...ours
					.filter(({ seconds }) => seconds === 60)
					.map(({ label, polls }) => ({
						description: `${label}, 60 s, in n8n: polls`,
						value: round(polls),
						most: 15,
						unit: 'polls',
					})),
				{
					description: 'Suspended, in n8n: longest delay',
					value: round(Math.max(...suspended.map(({ longest }) => longest))),
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
								round(simulated[way]![at]!.delayMs / 1000),
							]),
						})),
						{
							label: 'Wanted: 0.25 s + 3 %',
							isLimit: true,
							points: LENGTHS.map((seconds): [number, number] => [
								seconds,
								getAllowedSeconds(seconds),
							]),
						},
					],
				},
			],
		};
	},
};
