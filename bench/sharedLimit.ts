import type { FaultPlan } from '../sandbox';
import { submitByAimd } from './aimdClient';
import { getBenchHost, type BenchHost, type RunWorkflow } from './benchHost';
import { round, type Measure, type Target } from './result';
import { createFlow } from './workflows/flow';
import { image, submission } from './workflows/ours';

const ALLOWED = 20;
const WINDOW_MS = 2_000;
/** Another client uses the whole limit for so long in each minute. Runs begin ten seconds before it pauses. */
const BUSY_MS = 40_000;
const BEGIN_MS = 30_000;
const MINUTE_MS = 60_000;
/** Where the least time is known, a run begins here in a window, once each. The one in the middle counts. */
const PHASES = [0.1, 0.3, 0.5, 0.7, 0.9];

interface Situation {
	label: string;
	/** Rows of each execution. */
	runs: number[];
	/** Executions begin so many milliseconds after one another. */
	apartMs?: number;
	/** So many n8n processes share the key. */
	processes?: number;
	limit?: { hasRetryAfter: boolean };
	isBusy?: boolean;
	/** The share of submissions that is refused at random. */
	randomly?: number;
	/** One row is told to wait for so many seconds. */
	retryAfter?: number;
	/** Max Wait of the rows in seconds. Default: 20 minutes. */
	maxWait?: number;
	/** Wanted of ours. */
	most?: { timesLeast?: number; timesAimd?: number; seconds?: number; lost?: number };
}

const limited = { hasRetryAfter: true };
const SITUATIONS: Situation[] = [
	...[true, false].flatMap((hasRetryAfter): Situation[] => {
		const named = hasRetryAfter ? 'with Retry-After' : 'without';
		return [
			{
				label: `one execution of 200 rows, ${named}`,
				runs: [200],
				limit: { hasRetryAfter },
				most: { timesLeast: 1.1 },
			},
			{
				label: `five executions of 40 rows, ${named}`,
				runs: [40, 40, 40, 40, 40],
				limit: { hasRetryAfter },
				most: { timesLeast: 1.1 },
			},
		];
	}),
	{
		label: '5 rows, 3 s after 200 rows: the time of the 5',
		runs: [200, 5],
		apartMs: 3_000,
		limit: limited,
		most: { seconds: 6 },
	},
	{
		label: 'two n8n processes of 100 rows',
		runs: [100, 100],
		processes: 2,
		limit: limited,
		most: { timesLeast: 1.5 },
	},
	{
		label: '300 rows, while another client uses the limit for 40 s of each minute',
		runs: [300],
		limit: limited,
		isBusy: true,
		most: { timesAimd: 1.5 },
	},
	{
		label: '20 % refused at random, 500 rows',
		runs: [500],
		randomly: 0.2,
		most: { timesAimd: 1.5 },
	},
	...[86_400, 1_500].map((retryAfter): Situation => ({
		label: `one row of 200 is told to wait ${retryAfter} s: the time of the others`,
		runs: [200],
		retryAfter,
		maxWait: 60,
		most: { seconds: 10, lost: 1 },
	})),
	{
		label: 'one row of 200 is told to wait 300 s: the time of the others',
		runs: [200],
		retryAfter: 300,
		most: { seconds: 10 },
	},
];

interface Contender {
	label: string;
	/** Sends all rows of one execution. */
	run: (prompts: string[], execution: number) => Promise<unknown>;
}

interface Outcome {
	seconds: number;
	least: number;
	lost: number;
	refused: number;
}

const sleep = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** Until so many milliseconds of the current or the next period of the clock have passed. */
const sleepUntil = async (atMs: number, periodMs: number) =>
	await sleep((periodMs + atMs - (Date.now() % periodMs)) % periodMs);

const plansOf = ({ randomly, retryAfter }: Situation): FaultPlan[] => {
	const match = { method: 'POST', path: '/v1/tasks' };
	const plans: FaultPlan[] = [];
	if (randomly)
		plans.push({ match, kind: { status: 429 }, probability: randomly, times: Infinity });
	if (retryAfter) plans.push({ match, kind: { status: 429, retryAfter: String(retryAfter) } });
	return plans;
};

/** Lets a contender send its rows, and reads from the gateway what came of it. */
async function measure(situation: Situation, { run }: Contender, phase?: number): Promise<Outcome> {
	const { sandbox } = await getBenchHost();
	const { settings, faults, requests } = sandbox;
	const { runs, apartMs = 0, limit, isBusy, retryAfter } = situation;
	const limitNow = () => {
		const isTaken = isBusy && Date.now() % MINUTE_MS < BUSY_MS;
		return limit && { ...limit, requests: isTaken ? 0 : ALLOWED, windowMs: WINDOW_MS };
	};
	if (isBusy) await sleepUntil(BEGIN_MS, MINUTE_MS);
	if (phase !== undefined) await sleepUntil(phase * WINDOW_MS, WINDOW_MS);
	requests.length = 0;
	settings.submissionLimit = limitNow();
	settings.apiLatencyMs = 100;
	for (const plan of plansOf(situation)) faults.add(plan);
	const timer = setInterval(() => (settings.submissionLimit = limitNow()), 50);
	await Promise.all(
		runs.map(async (rows, execution) => {
			await sleep(execution * apartMs);
			const prompts = Array.from(
				{ length: rows },
				(_, row) => `Execution ${execution}, row ${row}`,
			);
			await run(prompts, execution);
		}),
	);
	clearInterval(timer);
	faults.clear();
	delete settings.submissionLimit;
	settings.apiLatencyMs = 0;

	const rows = runs.reduce((sum, count) => sum + count, 0);
	const submissions = requests.filter(({ path }) => path === '/v1/tasks');
	const measured = apartMs
		? submissions.filter(({ body }) => promptOf(body).startsWith('Execution 1,'))
		: submissions;
	const startedAt = Math.min(...measured.map(({ at }) => at));
	const taken = measured.filter(({ status }) => status === 200).sort((a, b) => a.at - b.at);
	const end = taken.at(retryAfter ? rows - 2 : -1) ?? taken.at(-1)!;
	const accepted = submissions.filter(({ status }) => status === 200).length;
	return {
		seconds: (end.at - startedAt) / 1_000,
		least: limit && !isBusy && !apartMs ? leastSeconds(rows, startedAt) : NaN,
		lost: rows - accepted,
		refused: submissions.filter(({ status }) => status === 429).length,
	};
}

const promptOf = (body: unknown) => String((body as { prompt?: string } | undefined)?.prompt);

/** What one needs who knows the windows. */
function leastSeconds(rows: number, startedAt: number): number {
	const windows = Math.ceil(rows / ALLOWED) - 1;
	return windows ? (WINDOW_MS - (startedAt % WINDOW_MS) + (windows - 1) * WINDOW_MS) / 1_000 : 0;
}

/** Each process with the workflow of its own. */
async function createOurs(
	hosts: BenchHost[],
	at: number,
	{ maxWait: timeout }: Situation,
): Promise<Contender> {
	const runs: RunWorkflow[] = [];
	for (const host of hosts)
		runs.push(
			await host.deploy(
				createFlow(`shared${at}`, 'noData', {
					...(timeout ? image({ timeout }) : submission()),
					onError: 'continueRegularOutput',
				}),
			),
		);
	return {
		label: 'Generation Gateway',
		run: async (prompts, execution) => {
			const rows = prompts.map((prompt) => ({ prompt }));
			await runs[execution % runs.length]!(rows, { keepsRecord: true });
		},
	};
}

/** Executions in one process, or one client each, as plain clients share nothing. */
function createAimd({ url, key }: { url: string; key: string }): Contender {
	return {
		label: 'AIMD client',
		run: async (prompts) => await submitByAimd({ url, key }, prompts),
	};
}

function targetsOf({ label, most = {} }: Situation, ours: Outcome, aimd?: Outcome): Target[] {
	const { timesLeast, timesAimd, seconds, lost = 0 } = most;
	const targets: Target[] = [
		{ description: `${label}: rows lost`, value: ours.lost, most: lost, unit: 'rows' },
	];
	if (timesLeast)
		targets.push({
			description: `${label}: against the least time`,
			value: round(ours.seconds / ours.least),
			most: timesLeast,
			unit: 'x',
		});
	if (timesAimd && aimd)
		targets.push({
			description: `${label}: against AIMD`,
			value: round(ours.seconds / aimd.seconds),
			most: timesAimd,
			unit: 'x',
		});
	if (seconds)
		targets.push({ description: label, value: round(ours.seconds), most: seconds, unit: 's' });
	return targets;
}

/** A limit that several executions or processes share, and refusals that say nothing about it. */
export const sharedLimit: Measure = {
	name: 'sharedLimit',
	async run() {
		const benchHost = await getBenchHost();
		const rows: (string | number)[][] = [];
		const targets: Target[] = [];
		let deployed = 0;
		for (const situation of SITUATIONS) {
			const outcomes = new Map<string, Outcome[]>();
			for (const phase of situation.most?.timesLeast ? PHASES : [undefined]) {
				// What was learned before is forgotten.
				await benchHost.restart();
				const second = situation.processes ? await benchHost.createSecond() : undefined;
				const hosts = second ? [benchHost, second] : [benchHost];
				const contenders = [await createOurs(hosts, (deployed += 1), situation)];
				// A plain client waits as it is told, one row like the others.
				if (!situation.retryAfter) contenders.push(createAimd(benchHost.sandbox));
				for (const contender of contenders) {
					const outcome = await measure(situation, contender, phase);
					outcomes.set(contender.label, [...(outcomes.get(contender.label) ?? []), outcome]);
				}
				await second?.host.stop();
			}
			const middles = [...outcomes].map(([label, all]) => {
				const sorted = [...all].sort((a, b) => a.seconds / a.least - b.seconds / b.least);
				const middle = sorted[Math.floor(sorted.length / 2)]!;
				const lost = all.reduce((sum, outcome) => sum + outcome.lost, 0);
				const shown = all.length > 1 ? [sorted[0]!, middle, sorted.at(-1)!] : [middle];
				const times = shown.map(({ seconds, least }) => round(seconds / least)).join(' / ');
				rows.push([
					...[situation.label, label, lost, middle.refused, round(middle.seconds)],
					Number.isNaN(middle.least) ? '' : times,
				]);
				console.log(rows.at(-1)!.join(' | '));
				return { ...middle, lost };
			});
			targets.push(...targetsOf(situation, middles[0]!, middles[1]));
		}
		return {
			name: 'sharedLimit',
			title: 'One limit for several executions, and refusals that say nothing',
			description: [
				`Submissions at a gateway that answers after 100 ms and takes ${ALLOWED} in each window of ${WINDOW_MS / 1_000} s of its clock, unless said otherwise. n8n is started anew for each situation, so that nothing is known. Beside it, a plain AIMD client outside n8n, one for each execution: it begins with 20 requests at once, adds one for each that is accepted, halves after a refusal, and sends a refused request again when its Retry-After is over. Rows may wait for 20 minutes, those that are told to wait for longer for one minute. The time is that from the first submission to the last one that was accepted, at the gateway.`,
				`Much depends on where in a window executions begin. What is measured against the least time is measured ${PHASES.length} times: the least, the middle and the most times the least. Refusals and seconds are those of the middle one.`,
				'A pause of the other client takes 200 rows. With exactly 200, a single missed place costs 40 s: 1.0 and 2.42 times the time of AIMD were seen. So it is 300 rows here, which need two pauses.',
				'A row that is told to wait for longer than it may is never sent earlier. It gives up at its own Max Wait.',
			],
			tables: [
				{
					columns: ['Situation', 'Contender', 'Rows lost', 'Refused', 'Time (s)', 'x the least'],
					rows,
				},
			],
			targets,
			plots: [],
		};
	},
};
