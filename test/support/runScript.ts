import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const ROOT = path.join(__dirname, '..', '..');

export interface EndedScript {
	code: number | null;
	/** What it has printed, on both streams. */
	output: string;
}

/** Runs a command of package.json to its end, by its file, with no environment but the given. */
export async function runScript(
	file: string,
	args: string[] = [],
	variables: Record<string, string> = {},
): Promise<EndedScript> {
	const env = { PATH: process.env.PATH, HOME: tmpdir(), ...variables };
	const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], { cwd: ROOT, env });
	let output = '';
	for (const stream of [child.stdout, child.stderr])
		stream.on('data', (chunk) => (output += String(chunk)));
	const [code] = (await once(child, 'close')) as [number | null];
	return { code, output };
}
