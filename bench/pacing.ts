import { getBenchHost, type RunWorkflow } from './benchHost';
import { round, type Lines, type Measure, type Target } from './result';
import { createFlow } from './workflows/flow';
import { batching, httpTask } from './workflows/http';
import { submission } from './workflows/ours';

interface Limit {
	rows: number;
	requests: number;
	windowMs: number;
	hasRetryAfter: boolean;
}

const LIMITS: Limit[] = [
	{ rows: 200, requests: 20, windowMs: 2_000, hasRetryAfter: true },
	{ rows: 200, requests: 20, windowMs: 2_000, hasRetryAfter: false },
	{ rows: 320, requests: 20, windowMs: 10_000, hasRetryAfter: false },
];
/** The share of the window that HTTP Request waits beyond it, or two of its batches would meet in one. */
const MARGIN = 1.02;
/** One in so many submissions is drawn. */
const DRAWN = 5;
/** Refusals that are allowed once, to learn. */
const FEW_REFUSALS = 15;

interface PacedRun {
	/** Seconds from the first submission to the last one that was accepted. */
	seconds: number;
	/** The same for who knows the limit. */
	least: number;
	accepted: number;
	refused: number;
	/** Seconds and accepted submissions so far. */
	points: [number, number][];
	/** The same as the limit allows. */
	allowed: [number, number][];
}

const describe = ({ rows, requests, windowMs, hasRetryAfter }: Limit) =>
	`${rows} rows, ${requests} in ${windowMs / 1_000} s, ${hasRetryAfter ? 'with' : 'without'} Retry-After`;

async function runUnder(limit: Limit, run: RunWorkflow): Promise<PacedRun> {
	const { sandbox } = await getBenchHost();
	const { rows, requests, windowMs } = limit;
	sandbox.settings.submissionLimit = limit;
	await run(Array.from({ length: rows }, (_, row) => ({ prompt: `Row ${row}` }))).finally(
		() => delete sandbox.settings.submissionLimit,
	);
	const startedAt = Math.min(...sandbox.requests.map(({ at }) => at));
	const taken = sandbox.requests.filter(({ status }) => status === 200);
	const times = taken.map(({ at }) => (at - startedAt) / 1_000).sort((a, b) => a - b);
	const firstEnd = (windowMs - (startedAt % windowMs)) / 1_000;
	const windows = Array.from({ length: Math.ceil(rows / requests) }, (_, at) =>
		at ? firstEnd + ((at - 1) * windowMs) / 1_000 : 0,
	);
	return {
		seconds: times.at(-1)!,
		least: windows.at(-1)!,
		accepted: taken.length,
		refused: sandbox.requests.filter(({ status }) => status === 429).length,
		points: times.flatMap((seconds, at): [number, number][] =>
			at % DRAWN === 0 || at === rows - 1 ? [[round(seconds), at + 1]] : [],
		),
		allowed: windows.map((seconds, at) => [round(seconds), Math.min(rows, (at + 1) * requests)]),
	};
}

/** What a gateway limits per time and does not announce. */
export const pacing: Measure = {
	name: 'pacing',
	async run() {
		const benchHost = await getBenchHost();
		const ours = await benchHost.deploy(createFlow('oursPaced', 'noData', submission()));
		const table: (string | number)[][] = [];
		const targets: Target[] = [];
		const plots: Lines[] = [];
		for (const [at, limit] of LIMITS.entries()) {
			const { rows, requests, windowMs } = limit;
			const known = batching(requests, windowMs * MARGIN);
			const theirs = await benchHost.deploy(
				createFlow(`httpPaced${at}`, 'noData', httpTask(benchHost.sandbox, known)),
			);
			const label = describe(limit);
			const [paced, batched] = [await runUnder(limit, ours), await runUnder(limit, theirs)];
			for (const [contender, { seconds, least, accepted, refused }] of [
				['Generation Gateway', paced],
				['HTTP Request, Batching at the limit', batched],
			] as const)
				table.push([
					...[label, contender, rows - accepted, refused],
					...[round(seconds), round(least), round(seconds / least)],
				]);
			targets.push(
				{ description: `${label}: rows lost`, value: rows - paced.accepted, most: 0, unit: 'rows' },
				{
					description: `${label}: time against the least`,
					value: round(paced.seconds / paced.least),
					most: 1.1,
					unit: 'x',
				},
				{
					description: `${label}: refused`,
					value: paced.refused,
					most: 0.05 * rows + FEW_REFUSALS,
					unit: 'calls',
				},
			);
			plots.push({
				kind: 'lines',
				name: `pacing-${at + 1}`,
				title: `Submissions over time: ${label}`,
				unit: 'submissions accepted',
				across: 'seconds since the first',
				isStepped: true,
				lines: [
					{ label: 'Generation Gateway', isOurs: true, points: paced.points },
					{ label: 'HTTP Request, Batching at the limit', points: batched.points },
					{ label: 'As the limit allows', isLimit: true, points: paced.allowed },
				],
			});
		}
		return {
			name: 'pacing',
			title: 'A limit per time that nobody announces',
			description: [
				'Submissions at a gateway that takes so many in each window of its clock and answers the others with 429. The node knows nothing of it. HTTP Request is told: its option Batching sends as many rows as are allowed, once a window. The least time is that of who knows when the windows begin. Where the gateway names no time, the length of its windows is found by probes of one request each.',
			],
			tables: [
				{
					columns: [
						...['Limit', 'Contender', 'Rows lost', 'Refused'],
						...['Time (s)', 'Least (s)', 'x the least'],
					],
					rows: table,
				},
			],
			targets,
			plots,
		};
	},
};
