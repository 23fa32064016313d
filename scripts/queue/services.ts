import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { endProgram, run, startProgram } from '../processes';
import { findFreePort } from '../host/ports';

/** Redis and PostgreSQL on localhost, with their data in a folder of their own. */
export interface Services {
	env: NodeJS.ProcessEnv;
	/** The processes of both, each with all it has started. */
	pids: { redis: number; postgres: number };
	/** The lines of the answer of PostgreSQL, each with its columns apart. */
	query: (sql: string) => Promise<string[][]>;
	stop: () => Promise<void>;
}

async function waitForPort(port: number): Promise<void> {
	for (let tries = 0; tries < 100; tries += 1) {
		const isOpen = await new Promise<boolean>((resolve) => {
			const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () =>
				resolve(false),
			);
			socket.once('connect', () => socket.destroy());
		});
		if (isOpen) return;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	throw new Error(`Nothing answers on port ${port}`);
}

async function findPostgresPrograms(): Promise<string> {
	const base = '/usr/lib/postgresql';
	const versions = existsSync(base) ? await readdir(base) : [];
	const newest = versions.sort((a, b) => Number(a) - Number(b)).at(-1);
	if (!newest)
		throw new Error('PostgreSQL is not installed: apt-get install postgresql redis-server');
	return path.join(base, newest, 'bin');
}

/** Nobody reads what it prints. */
function startService(program: string, args: string[], cwd: string): ChildProcess {
	const child = startProgram(program, args, { cwd });
	child.stdout!.resume();
	child.stderr!.resume();
	return child;
}

/** Starts both; PostgreSQL does not run as root, so there it runs as its own user. */
export async function startServices(folder: string): Promise<Services> {
	const programs = await findPostgresPrograms();
	const data = path.join(folder, 'postgres');
	await mkdir(data, { recursive: true });
	const isRoot = process.getuid?.() === 0;
	await chmod(folder, 0o755);
	if (isRoot) await run('chown', ['-R', 'postgres', data], folder);
	const toCommand = (program: string, args: string[]): [string, string[]] =>
		isRoot
			? ['runuser', ['-u', 'postgres', '--', path.join(programs, program), ...args]]
			: [path.join(programs, program), args];
	await run(
		...toCommand('initdb', ['-D', path.join(data, 'cluster'), '-U', 'n8n', '-A', 'trust']),
		data,
	);

	const [redisPort, postgresPort] = [await findFreePort(), await findFreePort()];
	const listening = ['--port', String(redisPort), '--bind', '127.0.0.1'];
	const redis = startService('redis-server', [...listening, '--save', '', '--dir', folder], folder);
	const [program, args] = toCommand('postgres', [
		'-D',
		path.join(data, 'cluster'),
		'-p',
		String(postgresPort),
		'-h',
		'127.0.0.1',
		'-k',
		data,
	]);
	const postgres = startService(program, args, data);
	await Promise.all([waitForPort(redisPort), waitForPort(postgresPort)]);
	const database = ['-h', '127.0.0.1', '-p', String(postgresPort), '-U', 'n8n', '-d', 'postgres'];
	return {
		pids: { redis: redis.pid!, postgres: postgres.pid! },
		query: async (sql) => {
			const psql = path.join(programs, 'psql');
			const printed = await run(psql, [...database, '-XAtc', sql], folder);
			return printed
				.split('\n')
				.filter((line) => line)
				.map((line) => line.split('|'));
		},
		env: {
			EXECUTIONS_MODE: 'queue',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(redisPort),
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(postgresPort),
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_DATABASE: 'postgres',
			N8N_ENCRYPTION_KEY: 'only-for-this-run',
			N8N_DEFAULT_BINARY_DATA_MODE: 'default',
		},
		stop: async () => {
			const exit = new Promise((resolve) => postgres.once('exit', resolve));
			await run(
				...toCommand('pg_ctl', ['-D', path.join(data, 'cluster'), '-m', 'immediate', 'stop']),
				data,
			);
			await Promise.all([exit, endProgram(redis)]);
		},
	};
}
