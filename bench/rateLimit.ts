import { Aimd } from '../nodes/gateway/rateLimit/aimd';
import { LearnedLimit } from '../nodes/gateway/rateLimit/learnedLimit';
import { LaneLimits, type Limit } from '../nodes/gateway/rateLimit/limit';
import { WindowLimit } from '../nodes/gateway/rateLimit/windowLimit';
import { WindowTrials } from '../nodes/gateway/rateLimit/windowTrials';
import { LIMITS } from '../test/support/limitsOfGateways';
import {
	busyFor,
	changing,
	fixedWindow,
	KINDS_OF_TIME,
	randomly,
} from '../test/support/rateLimits';
import { quantile, simulate, type Situation } from '../test/support/rateSimulation';
import { round, type Measure } from './result';

const ROWS = 200;
const LATENCIES = [20, 200, 3_000];
const MANY_ROWS = 1_500;
const SEEDS = [1, 2, 3];

type Patch = [prototype: object, name: string, property: PropertyDescriptor];
type Method = (this: Record<string, unknown>, ...given: unknown[]) => unknown;

/** The method of a class, replaced by one that is given the old one. */
function method(prototype: object, name: string, replace: (old: Method) => Method): Patch {
	const old = Object.getOwnPropertyDescriptor(prototype, name)!;
	return [prototype, name, { ...old, value: replace(old.value as Method) }];
}

const withoutTest = (name: string): Patch =>
	method(
		LearnedLimit.prototype,
		'dueTest',
		(old) =>
			function (now) {
				const test = old.call(this, now);
				return test === name ? undefined : test;
			},
	);

/** Each mechanism, and what takes it out. */
const MECHANISMS: Record<string, Patch[]> = {
	'trials of shorter and larger windows': [
		method(WindowTrials.prototype, 'start', () => () => undefined),
	],
	'tests for limits at once': [withoutTest('places')],
	'trials of one more at once': [withoutTest('more')],
	'tests for random refusals': [withoutTest('random')],
	'slow start': [method(WindowLimit.prototype, 'mostUnanswered', () => () => Infinity)],
};

async function withPatches<T>(patches: Patch[], work: () => Promise<T>): Promise<T> {
	const restore = patches.map(([prototype, name, property]) => {
		const old = Object.getOwnPropertyDescriptor(prototype, name)!;
		Object.defineProperty(prototype, name, property);
		return () => Object.defineProperty(prototype, name, old);
	});
	return await work().finally(() => restore.forEach((undo) => void undo()));
}

async function measureLimits(createLimit: () => Limit, rows: number, latencies: number[]) {
	const results = [];
	for (const limit of Object.values(LIMITS))
		for (const retryAfter of KINDS_OF_TIME)
			for (const latencyMs of latencies)
				results.push(await simulate(createLimit, { limit, retryAfter, latencyMs, runs: [rows] }));
	const slowdowns = results.map(({ ms, leastMs }) => ms / leastMs);
	const refused = results.reduce((sum, result) => sum + result.refused, 0);
	return {
		lost: results.reduce((sum, { lost }) => sum + lost, 0),
		times: [0.5, 0.9, 1].map((share) => round(quantile(slowdowns, share))),
		refusedPercent: round((100 * refused) / (rows * results.length)),
	};
}

/** Seconds, as the median of some seeds. */
async function measureSeconds(createLimit: () => Limit, situation: Omit<Situation, 'retryAfter'>) {
	const seconds = [];
	for (const seed of SEEDS) {
		const { ms } = await simulate(createLimit, { ...situation, seed, retryAfter: 'always 1' });
		seconds.push(ms / 1_000);
	}
	return round(quantile(seconds, 0.5));
}

async function measureAll(label: string, createLimit: () => Limit) {
	const { times, refusedPercent, lost } = await measureLimits(createLimit, ROWS, LATENCIES);
	const many = await measureLimits(createLimit, MANY_ROWS, [200]);
	const random = [];
	for (const share of [0.2, 0.5])
		random.push(
			await measureSeconds(createLimit, {
				limit: (numbers) => randomly(share, numbers),
				latencyMs: 200,
				runs: [1_000],
			}),
		);
	const busy = await measureSeconds(createLimit, {
		limit: () => busyFor(40_000, 60_000, fixedWindow(20, 2_000)),
		latencyMs: 100,
		runs: [400],
		isNetworkRough: true,
	});
	const rising = await measureSeconds(createLimit, {
		limit: () => changing(fixedWindow(5, 2_000), 20_000, fixedWindow(20, 2_000)),
		latencyMs: 100,
		runs: [400],
		isNetworkRough: true,
	});
	const processes = await measureSeconds(createLimit, {
		limit: () => fixedWindow(20, 2_000),
		latencyMs: 100,
		runs: [100, 100, 100, 100],
		processes: 4,
		isNetworkRough: true,
	});
	const row = [label, ...times, refusedPercent, many.times[2]!, many.refusedPercent, lost];
	return { row: [...row, ...random, busy, rising, processes], times, lost };
}

/** What each mechanism of the limiter is worth, on virtual time. */
export const rateLimit: Measure = {
	name: 'rateLimit',
	async run() {
		const learned = () => new LaneLimits(() => new LearnedLimit());
		const ours = await measureAll('Generation Gateway', learned);
		const rows = [ours.row];
		for (const [name, patches] of Object.entries(MECHANISMS))
			rows.push(
				(await withPatches(patches, async () => await measureAll(`without ${name}`, learned))).row,
			);
		rows.push((await measureAll('AIMD alone', () => new Aimd())).row);
		return {
			name: 'rateLimit',
			title: 'What each mechanism of the limiter is worth',
			description: [
				`On virtual time: ${ROWS} rows under ${Object.keys(LIMITS).length} limits, four kinds of Retry-After and three latencies. Times are multiples of what one needs who knows the limit. Then the same with ${MANY_ROWS} rows of 200 ms, 1,000 rows of which a fifth or half is refused at random, 400 rows beside a client that uses the whole limit for 40 s of each minute, 400 rows under a limit that rises from 5 to 20 in 2 s after 20 s, and four processes of 100 rows each under 20 in 2 s.`,
			],
			tables: [
				{
					columns: [
						...['Limiter', 'p50', 'p90', 'Worst', 'Refused (%)'],
						...[`Worst of ${MANY_ROWS} rows`, 'Refused of them (%)', 'Rows lost'],
						...['20 % random (s)', '50 % random (s)', 'Other client (s)'],
						...['Rising limit (s)', 'Four processes (s)'],
					],
					rows,
				},
			],
			targets: [
				{ description: 'Rows lost', value: ours.lost, most: 0, unit: 'rows' },
				{ description: 'p50 of the time', value: ours.times[0]!, most: 1.025, unit: 'x' },
				{ description: 'p90 of the time', value: ours.times[1]!, most: 1.26, unit: 'x' },
			],
			plots: [],
		};
	},
};
