import { median, round, type Measure } from './result';
import { getBenchHost, type RunWorkflow, type WorkflowRun } from './benchHost';
import { createFlow } from './workflows/flow';
import { batching, httpChat } from './workflows/http';
import { chat, image } from './workflows/ours';

const CHATS = 60;
const CHAT_MS = 300;
const ALLOWED = 10;
const ROUNDS = 3;
/** As many as are allowed, once a second: the largest batches of HTTP Request that are never refused here. */
const EVERY_MS = 1_000;

const rows = Array.from({ length: CHATS }, (_, row) => ({ prompt: `Row ${row}` }));

interface CountedRun extends WorkflowRun {
	finished: number;
	refusals: number;
	/** From the arrival of the first call to the end of the last one, at the gateway. */
	gatewayMs: number;
}

interface Arrival {
	at: number;
}
const first = (calls: readonly Arrival[]) => Math.min(...calls.map(({ at }) => at));
const last = (calls: readonly Arrival[]) => Math.max(...calls.map(({ at }) => at));

/** More work than the gateway takes at a time. */
export const limit: Measure = {
	name: 'limit',
	async run() {
		const benchHost = await getBenchHost();
		const { sandbox } = benchHost;
		sandbox.settings.chatMs = CHAT_MS;
		const contenders: { label: string; run: RunWorkflow }[] = [
			{
				label: 'Generation Gateway, as it comes',
				run: await benchHost.deploy(createFlow('oursLimit', 'allEntries', chat())),
			},
			{
				label: 'Generation Gateway, Concurrency 50',
				run: await benchHost.deploy(
					createFlow('oursLimit50', 'allEntries', chat({ concurrency: 50 })),
				),
			},
			{
				label: 'HTTP Request, all at once',
				run: await benchHost.deploy(createFlow('httpLimit', 'allEntries', httpChat(sandbox))),
			},
			{
				label: `HTTP Request, Batching ${ALLOWED} every ${EVERY_MS / 1000} s`,
				run: await benchHost.deploy(
					createFlow('httpBatching', 'allEntries', httpChat(sandbox, batching(ALLOWED, EVERY_MS))),
				),
			},
		];
		const countedRuns = contenders.map((): CountedRun[] => []);
		for (const { run } of contenders) await run(rows.slice(0, 2));
		sandbox.settings.concurrencyLimit = ALLOWED;
		for (let round = 0; round < ROUNDS; round += 1)
			for (const [at, { run }] of contenders.entries()) {
				const workflowRun = await run(rows);
				const taken = sandbox.requests.filter(({ status }) => status === 200);
				countedRuns[at]!.push({
					...workflowRun,
					refusals: sandbox.requests.length - taken.length,
					finished: taken.length,
					gatewayMs: CHAT_MS + last(taken) - first(sandbox.requests),
				});
			}
		sandbox.settings.concurrencyLimit = Infinity;
		const tasks = await tasksUnderLimit();

		const best = (CHATS / ALLOWED) * (CHAT_MS / 1000);
		const figures = contenders.map(({ label }, at) => {
			const of = (pick: (countedRun: CountedRun) => number) => median(countedRuns[at]!.map(pick));
			const finished = of((countedRun) => countedRun.finished);
			return {
				label,
				finished,
				failed: CHATS - finished,
				refusals: of((countedRun) => countedRun.refusals),
				seconds: of(({ ms }) => ms) / 1000,
				atGateway: of(({ gatewayMs }) => gatewayMs) / 1000,
			};
		});
		return {
			name: 'limit',
			title: `${CHATS} calls where ${ALLOWED} at a time are allowed`,
			description: [
				`${CHATS} chats of ${CHAT_MS} ms through a gateway that answers 429 with Retry-After: 1 to every call beyond ${ALLOWED} at a time, so that nobody can be done before ${round(best)} s. ` +
					`HTTP Request runs as it comes, all rows at once, and with its option Batching at ${ALLOWED} rows every second; rows that are refused go on with their error. At the gateway, the time is that from the arrival of the first call to the end of the last one; what is left of the whole is n8n's.`,
				`The node does not know the limit. When a call ends after a refusal, it sends one more at once: if that is accepted, the gateway limits calls at once, and the time it named does not matter.`,
				`And ${TASKS} tasks of 3 s under the same limit, submitted and awaited in one run: ${round(tasks.seconds)} s, ${tasks.failed} failed.`,
			],
			tables: [
				{
					columns: [
						...['Contender', 'Finished', 'Failed', 'Refusals'],
						...['Time (s)', 'At the gateway (s)', 'x the limit'],
					],
					rows: figures.map(({ label, finished, failed, refusals, seconds, atGateway }) => [
						...[label, finished, failed, refusals],
						...[round(seconds), round(atGateway), round(atGateway / best)],
					]),
				},
			],
			targets: [
				{ description: 'Items failed', value: figures[0]!.failed, most: 0, unit: 'items' },
				{
					description: 'Items failed at Concurrency 50',
					value: figures[1]!.failed,
					most: 0,
					unit: 'items',
				},
				{
					description: 'Time at the gateway against what the limit allows',
					value: round(figures[0]!.atGateway / best),
					most: 1.1,
					unit: 'x',
				},
				{
					description: `Tasks failed, of ${TASKS} under the limit`,
					value: tasks.failed,
					most: 0,
					unit: 'tasks',
				},
			],
			plots: [
				{
					kind: 'bars',
					name: 'limit',
					title: `${CHATS} chats, ${ALLOWED} at a time allowed: time (finished of ${CHATS})`,
					unit: 'seconds',
					bars: figures.map(({ label, finished, seconds }, at) => ({
						label: `${label} (${finished})`,
						value: round(seconds),
						isOurs: at < 2,
					})),
					limit: { label: 'the limit', value: best },
				},
			],
		};
	},
};

const TASKS = 60;

/** Tasks take their time at the gateway, not in calls, so the limit of calls should not show. */
async function tasksUnderLimit(): Promise<{ seconds: number; failed: number }> {
	const benchHost = await getBenchHost();
	const { settings } = benchHost.sandbox;
	const run = await benchHost.deploy(createFlow('oursTasksLimit', 'allEntries', image()));
	Object.assign(settings, { taskMs: 3_000, concurrencyLimit: ALLOWED });
	const { ms, items } = await run(rows.slice(0, TASKS));
	settings.concurrencyLimit = Infinity;
	return {
		seconds: ms / 1000,
		failed: TASKS - items.filter(({ status }) => status === 'completed').length,
	};
}
