import { setTimeout as after } from 'node:timers/promises';
import axios from 'axios';
import type { Sandbox } from '../sandbox';
import { startCollector, type Collector } from '../scripts/host/collector';
import { readLoad } from '../scripts/processLoad';
import { BenchHost } from './benchHost';
import { percentile } from './callbackLoad';
import { Peak } from './memory';
import { mean, round, type Measure, type Target } from './result';
import { byTrigger, byWebhook } from './workflows/callbacks';

/** Fewer for a try: `BURSTS=50,200 npm run bench -- bursts`. */
const SIZES = (process.env.BURSTS ?? '50,100,200,400,1000').split(',').map(Number);
const IN_FLIGHT = 8;
const STREAM_SECONDS = Number(process.env.STREAM_SECONDS ?? 60);
/** A gateway gives up an answer after this time, and calls again later, each time after two seconds more. */
const TIMEOUT_MS = 10_000;
const RETRY = { attempts: 30, delayMs: 2_000, timeoutMs: TIMEOUT_MS };
/** Callbacks before the first that counts. */
const WARM_UP = 20;
const LONGEST_SECONDS = 240;
/** What would come twice has come by then. */
const SETTLE_MS = 5_000;

interface Outcome {
	callbacks: number;
	/** Of the first calls. */
	answered: { ok: number; again: number; none: number };
	/** Of the first calls that were answered, in milliseconds. */
	answerMs: number[];
	calls: number;
	/** Tasks whose run reached the next node, and runs of one that had run before. */
	tasksRun: number;
	doubles: number;
	/** From the first call until the last run, in seconds. */
	seconds: number;
	cpuSeconds: number;
	megabytes: number;
}

class Contender {
	constructor(
		readonly label: string,
		private readonly url: string,
		private readonly benchHost: BenchHost,
		private readonly collector: Collector<{ task_id: string }>,
	) {}

	private get sandbox(): Sandbox {
		return this.benchHost.sandbox;
	}

	async burst(count: number): Promise<Outcome> {
		const ids = await Promise.all(Array.from({ length: count }, () => this.submit()));
		return await this.measure(async () => {
			for (const id of ids) void this.sandbox.finish(id);
			await Promise.resolve();
			return ids;
		});
	}

	/** Calls of which so many are in flight at any time. */
	async stream(inFlight: number, seconds: number): Promise<Outcome> {
		return await this.measure(async () => {
			const ids: string[] = [];
			const end = performance.now() + seconds * 1000;
			const send = async (): Promise<void> => {
				while (performance.now() < end) {
					const id = await this.submit();
					ids.push(id);
					void this.sandbox.finish(id);
					while (!this.sandbox.task(id)!.deliveries.length) await after(5);
				}
			};
			await Promise.all(Array.from({ length: inFlight }, send));
			return ids;
		});
	}

	private async submit(): Promise<string> {
		const { data } = await axios.post<{ task_id: string }>(
			`${this.sandbox.url}/v1/tasks`,
			{ model: 'imgn-4.0', prompt: 'a kite', callback_url: this.url },
			{ headers: { authorization: `Bearer ${this.sandbox.key}` } },
		);
		return data.task_id;
	}

	private async measure(send: () => Promise<string[]>): Promise<Outcome> {
		this.collector.received.length = 0;
		const { processId } = this.benchHost.host;
		const [peak, before] = [await Peak.of(processId), await readLoad(processId)];
		const startedAt = Date.now();
		const ids = new Set(await send());
		// Runs of the contender before may still come.
		const runs = () => this.collector.received.filter(({ task_id }) => ids.has(task_id));
		const countRun = () => new Set(runs().map(({ task_id }) => task_id)).size;
		const end = Date.now() + LONGEST_SECONDS * 1000;
		while (countRun() < ids.size && Date.now() < end) await after(100);
		await after(SETTLE_MS);
		const tasks = [...ids].map((id) => this.sandbox.task(id)!);
		const firsts = tasks.map(({ deliveries }) => deliveries[0]);
		const countFirst = (isMet: (status?: number) => boolean) =>
			firsts.filter((first) => isMet(first?.status)).length;
		const load = await readLoad(processId);
		return {
			callbacks: ids.size,
			answered: {
				ok: countFirst((status) => status === 200),
				again: countFirst((status) => status !== undefined && status !== 200),
				none: countFirst((status) => status === undefined),
			},
			answerMs: tasks.flatMap(({ deliveries: [first], finished }) =>
				first?.status === undefined ? [] : [first.at - finished!],
			),
			calls: tasks.reduce((sum, { deliveries }) => sum + deliveries.length, 0),
			tasksRun: countRun(),
			doubles: runs().length - countRun(),
			seconds: (Math.max(...runs().map(({ at }) => at)) - startedAt) / 1000,
			cpuSeconds: load.cpuSeconds - before.cpuSeconds,
			megabytes: before.megabytes + (await peak.growth()),
		};
	}
}

function toRow({ setUp, what, label, outcome }: Measured): (string | number)[] {
	const {
		callbacks,
		answered,
		answerMs,
		calls,
		tasksRun,
		doubles,
		seconds,
		cpuSeconds,
		megabytes,
	} = outcome;
	return [
		setUp,
		what,
		label,
		`${answered.ok} / ${answered.again} / ${answered.none}`,
		answerMs.length ? round(percentile(answerMs, 0.5) / 1000) : '',
		answerMs.length ? round(percentile(answerMs, 0.99) / 1000) : '',
		round(calls / callbacks),
		`${tasksRun} of ${callbacks}${doubles ? `, ${doubles} twice` : ''}`,
		round(seconds),
		round((cpuSeconds * 1000) / callbacks),
		Math.round(megabytes),
	];
}

const OURS = 'Generation Gateway Trigger';
const THEIRS = "n8n's Webhook";
const LAZY = 'lazy isolates';
/** As many isolates take n8n more memory than most machines have. */
const MOST_INSTALLED = 400;
/** How n8n is set up, and how many callbacks it gets at once. */
const HOSTS = [
	{
		setUp: LAZY,
		most: Infinity,
		env: {
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
			N8N_EXPRESSION_ENGINE_COMPILE_CACHE: 'true',
		},
	},
	{ setUp: 'as installed', env: {}, most: MOST_INSTALLED },
];

interface Measured {
	setUp: string;
	what: string;
	label: string;
	outcome: Outcome;
}

/** All sizes in one n8n, contenders in turn. */
async function measureHost({ setUp, env, most }: (typeof HOSTS)[number]): Promise<Measured[]> {
	const benchHost = await BenchHost.create({
		env,
		settings: { taskMs: Infinity, callbackRetry: RETRY },
	});
	const collector = await startCollector<{ task_id: string }>();
	try {
		const trigger = await benchHost.publish(
			byTrigger('byTrigger', collector.url),
			'byTrigger/callback',
		);
		const webhook = await benchHost.publish(byWebhook('byWebhook', collector.url));
		const contenders = [
			new Contender(OURS, trigger, benchHost, collector),
			new Contender(THEIRS, webhook, benchHost, collector),
		];
		for (const contender of contenders) await contender.burst(WARM_UP);
		const measured: Measured[] = [];
		const add = async (what: string, take: (contender: Contender) => Promise<Outcome>) => {
			for (const contender of contenders) {
				const { label } = contender;
				measured.push({ setUp, what, label, outcome: await take(contender) });
				console.log(toRow(measured.at(-1)!).join(' | '));
			}
		};
		await add(`${IN_FLIGHT} in flight for ${STREAM_SECONDS} s`, async (contender) =>
			contender.stream(IN_FLIGHT, STREAM_SECONDS),
		);
		for (const size of SIZES.filter((count) => count <= most))
			await add(`${size.toLocaleString('en')} at once`, async (contender) => contender.burst(size));
		return measured;
	} finally {
		await collector.close();
		await benchHost.teardown();
	}
}

function toTargets(measured: readonly Measured[]): Target[] {
	const ours = measured.filter(({ label }) => label === OURS);
	const lazy = ours.filter(({ setUp }) => setUp === LAZY);
	const wanted = lazy.find(({ what }) => what === '200 at once')?.outcome;
	const msOf = (label: string) =>
		mean(
			measured
				.filter((each) => each.setUp === LAZY && each.label === label)
				.map(({ outcome }) => (1000 * outcome.cpuSeconds) / outcome.callbacks),
		);
	return [
		{
			description: 'Tasks that started no run or more than one, of all callbacks to the trigger',
			value: ours.reduce(
				(sum, { outcome }) => sum + outcome.doubles + outcome.callbacks - outcome.tasksRun,
				0,
			),
			most: 0,
			unit: 'tasks',
		},
		{
			description: `200 at once, ${LAZY}: answered 200 at the first call`,
			value: wanted?.answered.ok ?? 0,
			least: 200,
			unit: 'callbacks',
		},
		{
			description: `Processor for a callback and its run, ${LAZY}: against n8n's Webhook`,
			value: round(msOf(OURS) / msOf(THEIRS)),
			most: 1.2,
			unit: 'x',
		},
	];
}

/** Bursts and a stream of callbacks, beside n8n's own Webhook node. */
export const bursts: Measure = {
	name: 'bursts',
	async run() {
		const measured: Measured[] = [];
		for (const host of HOSTS) measured.push(...(await measureHost(host)));
		return {
			name: 'bursts',
			title: 'Bursts and streams of callbacks',
			description: [
				`Tasks that end at the same moment, or ${IN_FLIGHT} callbacks in flight at any time, each starting a workflow whose next node posts the task to a server, through the trigger, which fetches each task first, and through n8n's own Webhook node, which believes whoever calls. The gateway gives up a call after ${TIMEOUT_MS / 1000} s and repeats one that was not answered with 2xx, ${RETRY.delayMs / 1000} s later, then ${(2 * RETRY.delayMs) / 1000} s and so on. Gateway and server share the machine with n8n.`,
				`n8n makes an isolate for expressions before it hands a callback to a node that is not its own Webhook, and one more for the run. With N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true and N8N_EXPRESSION_ENGINE_COMPILE_CACHE=true ("${LAZY}") it makes one when the first expression is evaluated; the trigger needs none for its callbacks.`,
			],
			tables: [
				{
					columns: [
						'n8n',
						'Callbacks',
						'Contender',
						'First call answered 200 / 503 / not in 10 s',
						'Answer, median (s)',
						'99 % (s)',
						'Calls a task',
						'Runs',
						'All had run after (s)',
						'Processor of n8n (ms a task)',
						'n8n at most (MB)',
					],
					rows: measured.map(toRow),
				},
			],
			targets: toTargets(measured),
			plots: [],
		};
	},
};
