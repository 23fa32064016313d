import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
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
}

async function readHolder(file: string): Promise<Holder | undefined> {
	try {
		return JSON.parse(await readFile(file, 'utf8')) as Holder;
	} catch {
		return undefined;
	}
}

/**
 * Takes a user folder for an editor at `url`, and gives the function that lets go of it. While one has
 * it, a second start is told where it is and changes nothing.
 */
export async function lockUserFolder(
	userFolder: string,
	url: string,
): Promise<() => Promise<void>> {
	const file = path.join(userFolder, 'running.json');
	await mkdir(userFolder, { recursive: true });
	const content = JSON.stringify({ processId: process.pid, url } satisfies Holder);
	for (;;) {
		const reason = await writeFile(file, content, { flag: 'wx' }).then(
			() => undefined,
			(error: NodeJS.ErrnoException) => error,
		);
		if (!reason) return async () => await rm(file, { force: true });
		if (reason.code !== 'EEXIST') throw reason;
		const holder = await readHolder(file);
		if (holder && isRunning(holder.processId))
			throw new UsageError(
				`An editor with these data is running at ${holder.url} (process ${holder.processId}). Use that one, stop it with Ctrl-C where it was started, or start another with --folder <path> --port <number>`,
			);
		await rm(file, { force: true });
	}
}
