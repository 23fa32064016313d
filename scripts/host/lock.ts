import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../commandLine';

const isRunning = (processId: number): boolean => {
	try {
		process.kill(processId, 0);
		return true;
	} catch (reason) {
		return (reason as NodeJS.ErrnoException).code === 'EPERM';
	}
};

interface Holder {
	processId: number;
	url: string;
	/** The process of n8n, once it runs; missing during the installation. */
	hostProcessId?: number;
}

/** A user folder that belongs to this process. */
export interface FolderLock {
	/** The editor runs, in this process of its own. */
	setRunning(hostProcessId: number): Promise<void>;
	release(): Promise<void>;
}

const POLL_MS = 1_000;

async function readHolder(file: string): Promise<Holder | undefined> {
	try {
		return JSON.parse(await readFile(file, 'utf8')) as Holder;
	} catch {
		return undefined;
	}
}

/** What a process runs; empty where it has ended. */
function commandOf(processId: number): string {
	try {
		return execFileSync('ps', ['-p', String(processId), '-o', 'command=']).toString();
	} catch {
		return '';
	}
}

/** Ends the n8n of a start that was killed: it goes on without it, and keeps the port. */
async function endOrphan({ hostProcessId }: Holder, log: (line: string) => void): Promise<void> {
	if (hostProcessId === undefined || !/\bn8n\b/.test(commandOf(hostProcessId))) return;
	log(`The last start was killed; its n8n (process ${hostProcessId}) still runs and is replaced.`);
	process.kill(hostProcessId, 'SIGKILL');
	while (isRunning(hostProcessId)) await sleep(100);
}

/**
 * Takes a user folder for an editor at `url`. While one that runs has it, a second start is told where it
 * is and changes nothing; while one is still being installed, a second start waits for it.
 */
export async function lockUserFolder(
	userFolder: string,
	url: string,
	{ log = console.log, signal }: { log?: (line: string) => void; signal?: AbortSignal } = {},
): Promise<FolderLock> {
	const file = path.join(userFolder, 'running.json');
	await mkdir(userFolder, { recursive: true });
	const holding: Holder = { processId: process.pid, url };
	for (let isWaiting = false; ;) {
		const reason = await writeFile(file, JSON.stringify(holding), { flag: 'wx' }).then(
			() => undefined,
			(error: NodeJS.ErrnoException) => error,
		);
		if (!reason)
			return {
				setRunning: async (hostProcessId) =>
					await writeFile(file, JSON.stringify({ ...holding, hostProcessId } satisfies Holder)),
				release: async () => await rm(file, { force: true }),
			};
		if (reason.code !== 'EEXIST') throw reason;
		const holder = await readHolder(file);
		if (holder && isRunning(holder.processId)) {
			if (holder.hostProcessId !== undefined)
				throw new UsageError(
					`An editor with these data is running at ${holder.url} (process ${holder.processId}). Use that one, stop it with Ctrl-C where it was started, or start another with --folder <path> --port <number>`,
				);
			if (!isWaiting)
				log(`Another start (process ${holder.processId}) is installing; waiting for it …`);
			isWaiting = true;
			await sleep(POLL_MS, undefined, { signal });
			continue;
		}
		if (holder) await endOrphan(holder, log);
		await rm(file, { force: true });
	}
}
