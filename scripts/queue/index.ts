import type { ChildProcess } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { startSandbox, type Sandbox } from '../../sandbox';
import { buildIfChanged } from '../build';
import { runCommand } from '../commandLine';
import { createHost } from '../host/createHost';
import type { N8nHost } from '../host/n8nHost';
import { findFreePort } from '../host/ports';
import { getVersion, type HostVersion } from '../host/versions';
import { measureWorkerLoad } from './workerLoad';
import { checkFailover } from './failover';
import { startServices } from './services';
import { waitUntil } from './waitUntil';
import { startTable, type Table } from './table';
import { batch, createScheduledWorkflow } from './workflows';

const ROWS = 200;
const ROWS_AT_ONCE = 10;
const TASK_MS = 8_000;
/** After this a row that nobody noted as done is taken again. */
const LEASE_MS = 30_000;

/** A worker with a folder of its own, as on a machine of its own; in a shared one it would take the executions of the others for crashed. */
async function startWorker(host: N8nHost, main: string, folder: string): Promise<ChildProcess> {
	await cp(path.join(main, '.n8n', 'nodes'), path.join(folder, '.n8n', 'nodes'), {
		recursive: true,
	});
	const worker = host.launch(['worker', '--concurrency=10'], {
		N8N_USER_FOLDER: folder,
		N8N_RUNNERS_BROKER_PORT: String(await findFreePort()),
	});
	await after(15_000);
	return worker;
}

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
async function checkQueue(version: HostVersion): Promise<void> {
	await buildIfChanged();
	const folder = await mkdtemp(path.join(tmpdir(), 'queue-'));
	const [sandbox, services, table] = [
		await startSandbox(),
		await startServices(folder),
		await startTable(ROWS, ROWS_AT_ONCE, LEASE_MS),
	];
	const userFolder = path.join(folder, 'main');
	const host = await createHost(version, {
		userFolder,
		gateway: sandbox,
		env: services.env,
		log: console.log,
	});
	const workers: ChildProcess[] = [];
	const startAnother = async (): Promise<ChildProcess> => {
		const worker = await startWorker(
			host,
			userFolder,
			path.join(folder, `worker-${workers.length + 1}`),
		);
		workers.push(worker);
		return worker;
	};
	try {
		await host.importWorkflows([batch, createScheduledWorkflow(table.url)]);
		await host.start();
		await host.signIn();
		await host.publish('batch');
		const first = await startAnother();
		await measureWorkerLoad(host, sandbox, first.pid!);
		sandbox.reset();
		const second = await startAnother();
		if (
			(await checkSchedule(host, sandbox, table, first)) &&
			(!version.hasFailover || (await checkFailover(host, sandbox, second, startAnother)))
		)
			return;
		process.exitCode = 1;
		console.log(host.getLog().slice(-3000));
	} finally {
		for (const worker of workers) worker.kill('SIGKILL');
		await host.stop();
		await services.stop();
		await table.close();
		await sandbox.close();
		await rm(folder, { recursive: true, force: true });
	}
}

runCommand({
	usage: `npm run queue [-- options]
A schedule over two workers, some of them killed; ends with 1 when a task is lost or made twice.
  --n8n newest  version of n8n: newest, oldest or a number
  --help        print this
Needs Redis and PostgreSQL: apt-get install postgresql redis-server`,
	options: { n8n: { type: 'string', default: 'newest' } },
	run: async ({ n8n }) => await checkQueue(getVersion(n8n)),
});
