import type { ChildProcess } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSandbox, type Sandbox } from '../../sandbox';
import { buildIfChanged } from '../build';
import { createHost } from '../host/createHost';
import type { N8nHost } from '../host/n8nHost';
import { findFreePort } from '../host/ports';
import type { HostVersion } from '../host/versions';
import { startServices, type Services } from './services';

const READY = 'n8n worker is now ready';
const WORKER_START_MS = 60_000;

/** A main process and workers on Redis and PostgreSQL, beside the sandbox. */
export interface Cluster {
	host: N8nHost;
	sandbox: Sandbox;
	services: Services;
	/** Resolves when the worker takes executions. */
	startWorker: () => Promise<ChildProcess>;
	teardown: () => Promise<void>;
}

/**
 * A worker with a folder of its own, as on a machine of its own; in a shared one it would take the
 * executions of the others for crashed.
 */
async function startWorker(host: N8nHost, main: string, folder: string): Promise<ChildProcess> {
	await cp(path.join(main, '.n8n', 'nodes'), path.join(folder, '.n8n', 'nodes'), {
		recursive: true,
	});
	const worker = host.launch(['worker', '--concurrency=10'], {
		N8N_USER_FOLDER: folder,
		N8N_RUNNERS_BROKER_PORT: String(await findFreePort()),
	});
	let printed = '';
	await new Promise<void>((resolve, reject) => {
		const timer = setTimeout(
			() => reject(new Error(`A worker did not start:\n${printed.slice(-2000)}`)),
			WORKER_START_MS,
		);
		worker.stdout!.on('data', (chunk: Buffer) => {
			printed += chunk.toString();
			if (!printed.includes(READY)) return;
			clearTimeout(timer);
			resolve();
		});
	});
	return worker;
}

/** The main process is not started yet, so that workflows can be imported. */
export async function createCluster(version: HostVersion): Promise<Cluster> {
	await buildIfChanged();
	const folder = await mkdtemp(path.join(tmpdir(), 'queue-'));
	const [sandbox, services] = [await startSandbox(), await startServices(folder)];
	const userFolder = path.join(folder, 'main');
	const host = await createHost(version, {
		userFolder,
		gateway: sandbox,
		env: services.env,
		log: console.log,
	});
	const workers: ChildProcess[] = [];
	return {
		host,
		sandbox,
		services,
		startWorker: async () => {
			const name = `worker-${workers.length + 1}`;
			const worker = await startWorker(host, userFolder, path.join(folder, name));
			workers.push(worker);
			return worker;
		},
		teardown: async () => {
			for (const worker of workers) worker.kill('SIGKILL');
			await host.stop();
			await services.stop();
			await sandbox.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
