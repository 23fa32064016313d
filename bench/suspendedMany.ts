import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import axios from 'axios';
import { readLoad } from '../scripts/processLoad';
import { startServices, type Services } from '../scripts/queue/services';
import { BenchHost } from './benchHost';
import { endTasks } from './callbackLoad';
import { readWrites, writesBetween } from './databaseWrites';
import type { Measure } from './result';
import { toSuspendedResult, type SuspendedRun } from './suspendedResult';
import { suspendForAll, waitForOneCall } from './workflows/suspended';

/** Fewer for a try: `EXECUTIONS=50 npm run bench -- suspended`. */
const EXECUTIONS = Number(process.env.EXECUTIONS ?? 1_000);
const TASKS_EACH = 25;
const PER_SECOND = 50;
const WAITS = 100;
/** Executions that have been started and are not suspended yet. */
const STARTING = 12;
const TIMEOUT_MS = 900_000;

const ROWS = Array.from({ length: TASKS_EACH }, (_, row) => ({ prompt: `Row ${row}` }));

/** Thousands of tasks for which suspended executions wait, on PostgreSQL. */
export const suspended: Measure = {
	name: 'suspended',
	async run() {
		const folder = await mkdtemp(path.join(tmpdir(), 'bench-postgres-'));
		const services = await startServices(folder);
		// One process, as most run it: executions are not handed to workers.
		const env = { ...services.env, EXECUTIONS_MODE: 'regular' };
		const settings = {
			taskMs: Infinity,
			callbackRetry: { attempts: 8, delayMs: 500, timeoutMs: 30_000 },
		};
		const benchHost = await BenchHost.create({ env, settings });
		try {
			const waits = await runWaits(benchHost, services);
			const ours = await runOurs(benchHost, services);
			return toSuspendedResult({ ours, waits, perSecond: PER_SECOND });
		} finally {
			await benchHost.teardown();
			await services.stop();
			await rm(folder, { recursive: true, force: true });
		}
	},
};

async function runOurs(benchHost: BenchHost, services: Services) {
	const { sandbox, host } = benchHost;
	const url = await benchHost.publish(suspendForAll('suspendForAll'));
	return await measure(host.processId, services, EXECUTIONS, url, async (run) => {
		const taskIds = sandbox.tasks().map(({ task_id }) => task_id);
		const before = sandbox.requests.length;
		run.callbacks = await endTasks(sandbox, taskIds, PER_SECOND);
		await untilEnded(services);
		run.polls = sandbox.requests.length - before;
	});
}

/** n8n's own node Wait: what suspending and going on once costs, whoever does it. */
async function runWaits(benchHost: BenchHost, services: Services) {
	const { sandbox, host } = benchHost;
	const url = await benchHost.publish(waitForOneCall('waitForOneCall', sandbox));
	return await measure(host.processId, services, WAITS, url, async () => {
		for (const { query } of sandbox.requests)
			if (query.resume) await axios.get(String(query.resume));
		await untilEnded(services);
	});
}

async function measure(
	processId: number,
	services: Services,
	executions: number,
	url: string,
	resume: (run: SuspendedRun) => Promise<void>,
): Promise<SuspendedRun> {
	const before = await readWrites(services);
	for (let started = 0; started < executions; started += 1) {
		if (started > STARTING) await untilWaiting(services, started - STARTING);
		await axios.post(url, { rows: ROWS });
	}
	await untilWaiting(services, executions);
	const between = await readWrites(services);
	const { cpuSeconds } = await readLoad(processId);
	const run = { executions, tasks: executions * TASKS_EACH, polls: 0, callbacks: [] };
	const outcome: SuspendedRun = { ...run, suspendWrites: [], resumeWrites: [], cpuSeconds: 0 };
	await resume(outcome);
	outcome.cpuSeconds = (await readLoad(processId)).cpuSeconds - cpuSeconds;
	outcome.suspendWrites = writesBetween(before, between);
	outcome.resumeWrites = writesBetween(between, await readWrites(services));
	return outcome;
}

/** Waits until at least so many executions are suspended; failed ones end the measure. */
const untilWaiting = async (services: Services, count: number): Promise<void> =>
	await until(services, (states) => (states.get('waiting') ?? 0) >= count);

/** Waits until all executions have ended: n8n marks those that are not kept as deleted. */
const untilEnded = async (services: Services): Promise<void> =>
	await until(services, (states) => [...states.keys()].every((status) => status === 'success'));

async function until(
	{ query }: Services,
	isMet: (states: Map<string, number>) => boolean,
): Promise<void> {
	const sql =
		'select status, count(*) from execution_entity where "deletedAt" is null group by status';
	for (const end = Date.now() + TIMEOUT_MS; ; await after(200)) {
		const states = new Map(
			(await query(sql)).map(([status, count]): [string, number] => [status!, Number(count)]),
		);
		if (isMet(states)) return;
		if (states.has('error') || states.has('crashed') || Date.now() > end)
			throw new Error(`Suspended executions: ${JSON.stringify([...states])}`);
	}
}
