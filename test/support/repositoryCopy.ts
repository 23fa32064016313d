import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(__dirname, '..', '..');

/** Copies what the repository tracks, but for its tests, so that commands can change it and leave nothing behind. */
export function copyRepository(target: string): void {
	const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
		cwd: ROOT,
		encoding: 'utf8',
	});
	for (const file of tracked.split('\n').filter((name) => name && !/^(test|bench)\//.test(name)))
		cpSync(path.join(ROOT, file), path.join(target, file), { force: true });
	symlinkSync(path.join(ROOT, 'node_modules'), path.join(target, 'node_modules'));
}

/** The processes of this machine that have a text in their environment or command line, zombies left out. */
export const processesWith = (text: string): string[] =>
	readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
		.filter((pid) => {
			try {
				return ['environ', 'cmdline'].some((file) =>
					readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(text),
				);
			} catch {
				return false;
			}
		});

/** Waits until something is so, for at most `ms`; `explain` says what is known when it is not. */
export async function waitFor(
	isMet: () => boolean | Promise<boolean>,
	ms: number,
	explain: () => string,
): Promise<number> {
	const startedAt = Date.now();
	while (Date.now() - startedAt < ms) {
		if (await isMet()) return Date.now() - startedAt;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	throw new Error(`Waited ${ms / 1000} s:\n${explain()}`);
}
