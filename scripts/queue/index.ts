import type { ChildProcess } from 'node:child_process';
import type { Sandbox } from '../../sandbox';
import { readNumbers, runCommand } from '../commandLine';
import type { N8nHost } from '../host/n8nHost';
import { getVersion, type HostVersion } from '../host/versions';
import { createCluster } from './cluster';
import { runDay } from './day';
import { checkFailover } from './failover';
import { startTable, type Table } from './table';
import { waitUntil } from './waitUntil';
import { measureWorkerLoad } from './workerLoad';
import { batch, createScheduledWorkflow } from './workflows';

const ROWS = 200;
const ROWS_AT_ONCE = 10;
const TASK_MS = 8_000;
/** After this a row that nobody noted as done is taken again. */
const LEASE_MS = 30_000;

/** A schedule over both workers, one of them killed with -9 in the middle; later runs of the schedule take its rows again. */
async function checkSchedule(
	host: N8nHost,
	sandbox: Sandbox,
	table: Table,
	killedWorker: ChildProcess,
): Promise<boolean> {
	sandbox.settings.taskMs = TASK_MS;
	console.log(
		`A schedule that takes ${ROWS_AT_ONCE} of ${ROWS} rows each second, tasks of ${TASK_MS / 1000} s, over two workers:`,
	);
	const began = Date.now();
	const seconds = () => Math.round((Date.now() - began) / 1000);
	await host.publish('scheduled');
	await waitUntil(() => sandbox.tasks().length >= ROWS / 2);
	const [under, runs] = [
		sandbox.tasks().filter(({ status }) => status !== 'completed').length,
		table.runCount(),
	];
	killedWorker.kill('SIGKILL');
	console.log(
		`  one worker killed with -9 after ${seconds()} s and ${runs} runs, ${under} tasks under way`,
	);
	await waitUntil(() => table.done.size === ROWS);

	const prompts = sandbox.tasks().map(({ body }) => String(body.prompt));
	const twice = prompts.length - new Set(prompts).size;
	const wrong = sandbox
		.tasks()
		.filter(({ task_id, body }) => table.done.get(String(body.prompt)) !== task_id).length;
	console.log(
		`  ${table.done.size} of ${ROWS} rows done after ${seconds()} s and ${table.runCount()} runs`,
	);
	console.log(
		`  ${prompts.length} tasks made, ${twice} made twice, ${wrong} not delivered to their row`,
	);
	return twice === 0 && wrong === 0 && table.done.size === ROWS;
}

/** A main process and two workers on Redis and PostgreSQL. */
async function checkQueue(version: HostVersion): Promise<boolean> {
	const { host, sandbox, startWorker, teardown } = await createCluster(version);
	const table = await startTable(ROWS, ROWS_AT_ONCE, LEASE_MS);
	try {
		await host.importWorkflows([batch, createScheduledWorkflow(table.url)]);
		await host.start();
		await host.signIn();
		await host.publish('batch');
		const first = await startWorker();
		await measureWorkerLoad(host, sandbox, first.pid!);
		sandbox.reset();
		const second = await startWorker();
		const isWell =
			(await checkSchedule(host, sandbox, table, first)) &&
			(!version.hasFailover || (await checkFailover(host, sandbox, second, startWorker)));
		if (!isWell) console.log(host.getLog().slice(-3000));
		return isWell;
	} finally {
		await table.close();
		await teardown();
	}
}

const USAGE = `npm run queue [-- options]
A schedule over two workers, some of them killed; ends with 1 when a task is lost or made twice.
  --n8n newest  version of n8n: newest, oldest or a number
  --tasks 0     instead, so many tasks over two workers, one of them killed and the main process
                restarted, and what they cost: 10000 take about ten minutes
  --help        print this
Needs Redis and PostgreSQL: apt-get install postgresql redis-server`;

runCommand({
	usage: USAGE,
	options: {
		n8n: { type: 'string', default: 'newest' },
		tasks: { type: 'string', default: '0' },
	},
	run: async ({ n8n, ...counts }) => {
		const { tasks } = readNumbers(counts, USAGE);
		const version = getVersion(n8n);
		if (!(tasks ? await runDay(version, tasks) : await checkQueue(version))) process.exitCode = 1;
	},
});
