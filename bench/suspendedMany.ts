import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startServices } from '../scripts/queue/services';
import { BenchHost } from './benchHost';
import { callAtRate, callLink, endTask, type CallbackLoad } from './callbackLoad';
import type { Measure } from './result';
import { SuspendedHost, TASKS_EACH } from './suspendedHost';
import { toSuspendedResult, type SuspendedRuns } from './suspendedResult';
import { answerOnly, suspendForAll, waitForOneCall } from './workflows/suspended';

/** Fewer for a try: `EXECUTIONS=50 npm run bench -- suspended`. */
const EXECUTIONS = Number(process.env.EXECUTIONS ?? 1_000);
const FEWER = Math.min(200, EXECUTIONS);
/** Of which every task is ended, to count what is written. */
const ENDED = 20;
const RATES = [5, 10, 25, 50];
const HIGHEST_RATE = 50;
const SECONDS = 30;
const OURS = 'Generation Gateway';

/** Executions that wait for many tasks, on PostgreSQL. */
export const suspended: Measure = {
	name: 'suspended',
	async run() {
		const runs = await onHost({}, async (host) => await measure(host));
		const engine = 'N8N_EXPRESSION_ENGINE';
		const legacy = await onHost({ [engine]: 'legacy' }, async (host) => {
			await host.suspend(await host.publish(suspendForAll('ours')), FEWER);
			return await endAtRate(host, `${OURS}, ${engine}=legacy`, HIGHEST_RATE);
		});
		return toSuspendedResult({ ...runs, loads: [...runs.loads, legacy] });
	},
};

async function measure(host: SuspendedHost): Promise<SuspendedRuns> {
	const { sandbox, processId } = host;
	const waits = await host.countWrites(
		await host.publish(waitForOneCall('wait', sandbox)),
		ENDED,
		async () => {
			for (const link of host.links()) await callLink(link);
		},
	);
	const ours = await host.publish(suspendForAll('ours'));
	const ended = await host.countWrites(ours, ENDED, async () => {
		const taskIds = sandbox.tasks().map(({ task_id }) => task_id);
		await callAtRate(OURS, processId, RATES[0]! * 2, taskIds.sort(), endTask(sandbox));
	});

	sandbox.requests.length = 0;
	await host.suspend(await host.publish(answerOnly('bare', sandbox)), FEWER);
	const links = host.links();
	const calls = Array.from({ length: SECONDS * HIGHEST_RATE }, (_, at) => links[at % FEWER]!);
	const label = 'A node that only answers';
	const bare = await callAtRate(label, processId, HIGHEST_RATE, calls, callLink);
	await host.forgetAll();

	const kilobytes = await host.suspend(ours, EXECUTIONS);
	const loads: CallbackLoad[] = [];
	for (const rate of RATES) loads.push(await endAtRate(host, OURS, rate));
	return { executions: EXECUTIONS, ended, waits, kilobytes, loads: [...loads, bare] };
}

/** Ends tasks that still run, in a random order, for half a minute. */
async function endAtRate({ sandbox, processId }: SuspendedHost, label: string, rate: number) {
	const running = sandbox
		.tasks()
		.filter(({ status }) => status !== 'completed')
		.map(({ task_id }) => task_id)
		.sort()
		.slice(0, rate * SECONDS);
	return await callAtRate(label, processId, rate, running, endTask(sandbox));
}

/** A real n8n on a PostgreSQL of its own, in one process, as most run it. */
async function onHost<Outcome>(
	env: NodeJS.ProcessEnv,
	work: (host: SuspendedHost) => Promise<Outcome>,
): Promise<Outcome> {
	const folder = await mkdtemp(path.join(tmpdir(), 'bench-postgres-'));
	const services = await startServices(folder);
	const benchHost = await BenchHost.create({
		env: { ...services.env, EXECUTIONS_MODE: 'regular', ...env },
		settings: {
			taskMs: Infinity,
			callbackRetry: { attempts: 3, delayMs: 500, timeoutMs: 30_000 },
		},
	});
	try {
		return await work(new SuspendedHost(benchHost, services, TASKS_EACH));
	} finally {
		await benchHost.teardown();
		await services.stop();
		await rm(folder, { recursive: true, force: true });
	}
}
