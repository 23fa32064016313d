import type { HostVersion } from '../host/versions';
import { createCluster, type Cluster } from './cluster';
import { LoadMeter } from './loadMeter';
import { startTable, type Table } from './table';
import { waitUntil } from './waitUntil';
import { createScheduledWorkflow } from './workflows';

const ROWS_AT_ONCE = 100;
const EVERY_SECONDS = 4;
const TASK_MS = 30_000;
/** After this a row that nobody noted as done is taken again. */
const LEASE_MS = 150_000;
const TIMEOUT_MS = 1_800_000;
const ROLES = ['workers', 'main', 'PostgreSQL', 'Redis'];

const DATABASE_SQL = `select tup_inserted, tup_updated, tup_deleted, xact_commit,
	pg_database_size('postgres'), pg_current_wal_lsn() - '0/0'
	from pg_stat_database where datname = 'postgres'`;

/** The pages of a day at speed: a schedule over two workers, one killed with -9 in the middle, and the main process restarted. */
export async function runDay(version: HostVersion, tasks: number): Promise<boolean> {
	const cluster = await createCluster(version);
	const table = await startTable(tasks, ROWS_AT_ONCE, LEASE_MS);
	const meter = new LoadMeter();
	try {
		return await run(cluster, table, meter, tasks);
	} finally {
		meter.stop();
		await table.close();
		await cluster.teardown();
	}
}

async function run(
	{ host, sandbox, services, startWorker }: Cluster,
	table: Table,
	meter: LoadMeter,
	tasks: number,
): Promise<boolean> {
	sandbox.settings.taskMs = TASK_MS;
	await host.importWorkflows([createScheduledWorkflow(table.url, EVERY_SECONDS)]);
	await host.start();
	await host.signIn();
	const killed = await startWorker();
	for (const [role, pid] of [
		['workers', killed.pid!],
		['workers', (await startWorker()).pid!],
		['main', host.processId],
		['PostgreSQL', services.pids.postgres],
		['Redis', services.pids.redis],
	] as const)
		await meter.watch(role, pid);
	const before = await readDatabase(services);
	const began = Date.now();
	const note = (what: string) =>
		console.log(
			`  after ${Math.round((Date.now() - began) / 1000)} s, ${table.done.size} rows done and ${table.runCount()} runs: ${what}`,
		);
	console.log(
		`${tasks} tasks of ${TASK_MS / 1000} s, ${ROWS_AT_ONCE} every ${EVERY_SECONDS} s, over two workers of 10 slots:`,
	);
	await host.publish('scheduled');
	const until = async (share: number) =>
		await waitUntil(() => table.done.size >= share * tasks, TIMEOUT_MS);

	await until(0.3);
	await meter.read();
	killed.kill('SIGKILL');
	note('a worker killed with -9');
	await meter.watch('workers', (await startWorker()).pid!);
	note('another worker is ready');
	await until(0.6);
	await meter.read();
	await host.stop();
	note('main stopped');
	await host.start();
	await meter.watch('main', host.processId);
	note('main is there again');
	await until(1);
	note('all done');
	await meter.read();
	return report({ sandbox, table, meter, tasks, before, after: await readDatabase(services) });
}

interface DatabaseCounts {
	inserted: number;
	updated: number;
	deleted: number;
	commits: number;
	bytes: number;
	walBytes: number;
}

async function readDatabase({ query }: Cluster['services']): Promise<DatabaseCounts> {
	// What a connection has counted is reported a moment later.
	await new Promise((resolve) => setTimeout(resolve, 2_000));
	const [counts = []] = await query(DATABASE_SQL);
	const [inserted, updated, deleted, commits, bytes, walBytes] = counts.map(Number);
	return { inserted, updated, deleted, commits, bytes, walBytes } as DatabaseCounts;
}

interface DayRun {
	sandbox: Cluster['sandbox'];
	table: Table;
	meter: LoadMeter;
	tasks: number;
	before: DatabaseCounts;
	after: DatabaseCounts;
}

/** Prints what it cost, as rows of a table, and tells whether nothing was lost or made twice. */
function report({ sandbox, table, meter, tasks, before, after }: DayRun): boolean {
	const made = sandbox.tasks();
	const twice = made.length - new Set(made.map(({ body }) => body.prompt)).size;
	const wrong = made.filter(
		({ task_id, body }) => table.done.get(String(body.prompt)) !== task_id,
	).length;
	const perTask = (value: number) => (value / tasks).toFixed(2);
	const since = (name: keyof DatabaseCounts) => after[name] - before[name];
	const submissions = sandbox.requests.filter(({ method }) => method === 'POST').length;
	const refused = sandbox.requests.filter(({ status = 0 }) => status >= 400).length;
	console.log(
		`  ${table.done.size} of ${tasks} rows done, ${made.length} tasks made, ${twice} made twice, ${wrong} not delivered to their row`,
	);
	const rows: [string, string][] = [
		...ROLES.map((role): [string, string] => [
			`Processor, ${role} (ms a task)`,
			perTask(1000 * meter.cpuSecondsOf(role)),
		]),
		[
			'Memory of a worker, of main (MB at most)',
			`${Math.round(meter.megabytesOf('workers'))}, ${Math.round(meter.megabytesOf('main'))}`,
		],
		[
			'Gateway calls a task: submissions, polls',
			`${perTask(submissions)}, ${perTask(sandbox.requests.length - submissions)}; ${refused} refused`,
		],
		[
			'Database rows a task: inserted, updated, deleted; commits',
			`${(['inserted', 'updated', 'deleted', 'commits'] as const).map((name) => perTask(since(name))).join(', ')}`,
		],
		[
			'Database KB a task: size, write-ahead log',
			`${perTask(since('bytes') / 1024)}, ${perTask(since('walBytes') / 1024)}`,
		],
	];
	console.log(rows.map(([name, value]) => `| ${name} | ${value} |`).join('\n'));
	return table.done.size === tasks && made.length === tasks && twice === 0 && wrong === 0;
}
