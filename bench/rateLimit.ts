import { Aimd, ConcurrencyLimit } from '../nodes/gateway/rateLimit/concurrencyLimit';
import { LearnedLimit } from '../nodes/gateway/rateLimit/learnedLimit';
import { LaneLimits, type Limit } from '../nodes/gateway/rateLimit/limit';
import { WindowEstimate } from '../nodes/gateway/rateLimit/windowEstimate';
import { LIMITS } from '../test/support/limitsOfGateways';
import { busyFor, fixedWindow, KINDS_OF_TIME, randomly } from '../test/support/rateLimits';
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

const getter = (prototype: object, name: string, get: Method): Patch => [
	prototype,
	name,
	{ configurable: true, get },
];

/** Each mechanism, and what takes it out. */
const MECHANISMS: Record<string, Patch[]> = {
	'trials of shorter and larger windows': [
		method(
			WindowEstimate.prototype,
			'planAfter',
			() =>
				function () {
					return this.plan;
				},
		),
	],
	'limits at once': [getter(ConcurrencyLimit.prototype, 'isTestDue', () => false)],
	'trials of one more at once': [
		getter(ConcurrencyLimit.prototype, 'isOpen', function () {
			return (this.active as number) < (this.most as number);
		}),
	],
	'tests for random refusals': [
		method(
			LearnedLimit.prototype,
			'dueTest',
			(old) =>
				function (now) {
					const test = old.call(this, now);
					return test === 'random' ? undefined : test;
				},
		),
	],
	'AIMD where windows miss': [getter(WindowEstimate.prototype, 'isUseless', () => false)],
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
				...{ limit: (numbers) => randomly(share, numbers), latencyMs: 200, runs: [1_000] },
			}),
		);
	const busy = await measureSeconds(createLimit, {
		limit: () => busyFor(40_000, 60_000, fixedWindow(20, 2_000)),
		...{ latencyMs: 100, runs: [400], isNetworkRough: true },
	});
	const row = [label, ...times, refusedPercent, many.times[2]!, many.refusedPercent, lost];
	return { row: [...row, ...random, busy], times, lost };
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
				`On virtual time: ${ROWS} rows under ${Object.keys(LIMITS).length} limits, four kinds of Retry-After and three latencies. Times are multiples of what one needs who knows the limit. Then the same with ${MANY_ROWS} rows of 200 ms, 1,000 rows of which a fifth or half is refused at random, and 400 rows beside a client that uses the whole limit for 40 s of each minute.`,
			],
			tables: [
				{
					columns: [
						...['Limiter', 'p50', 'p90', 'Worst', 'Refused (%)'],
						...[`Worst of ${MANY_ROWS} rows`, 'Refused of them (%)', 'Rows lost'],
						...['20 % random (s)', '50 % random (s)', 'Other client (s)'],
					],
					rows,
				},
			],
			targets: [
				{ description: 'Rows lost', value: ours.lost, most: 0, unit: 'rows' },
				{ description: 'p50 of the time', value: ours.times[0]!, most: 1.025, unit: 'x' },
				{ description: 'p90 of the time', value: ours.times[1]!, most: 1.12, unit: 'x' },
			],
			plots: [],
		};
	},
};
