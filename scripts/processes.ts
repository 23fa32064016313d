import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const running = new Set<ChildProcess>();
let isEnding = false;
/** A server that has this long after SIGTERM saves what it runs; then it is killed. */
const GRACE_MS = 10_000;

/** Signals a program with all that it has started itself. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
	try {
		process.kill(-child.pid!, signal);
	} catch {
		// The group has ended already, or this system knows no groups.
		child.kill(signal);
	}
}

/**
 * Starts a program in a process group of its own, so that it ends with everything it has started: npm
 * runs scripts, gulp a compiler, n8n a task runner.
 */
export function startProgram(
	program: string,
	args: readonly string[],
	{ cwd, env = process.env }: { cwd: string; env?: NodeJS.ProcessEnv },
): ChildProcess {
	if (isEnding) throw new Error(`${program} is not started any more`);
	const child = spawn(program, args, {
		cwd,
		env,
		stdio: ['ignore', 'pipe', 'pipe'],
		detached: true,
	});
	if (child.pid === undefined) return child;
	running.add(child);
	child.once('exit', () => {
		running.delete(child);
		signalGroup(child, 'SIGKILL');
	});
	return child;
}

// Whatever ends this process, it leaves none behind.
process.once('exit', () => running.forEach((child) => signalGroup(child, 'SIGKILL')));

/** Ends a program: kindly, and by force when it takes longer than 10 s. */
export async function endProgram(
	child: ChildProcess,
	signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
	if (!running.has(child)) return;
	const ended = once(child, 'exit');
	signalGroup(child, signal);
	const force = setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS);
	await ended;
	clearTimeout(force);
}

/** Ends all programs that run; none starts afterwards. */
export async function endPrograms(): Promise<void> {
	isEnding = true;
	await Promise.all([...running].map(async (child) => await endProgram(child)));
}

/** A program that ended with a code other than 0, or by a signal. */
export class ProgramError extends Error {
	constructor(
		command: string,
		readonly endedWith: number | NodeJS.Signals | null,
		readonly output: string,
	) {
		super(`${command} ended with ${endedWith}\n${output.slice(-3000)}`);
	}
}

/** Runs a program to its end and gives what it printed, which goes with the reason when it fails. */
export async function run(
	program: string,
	args: readonly string[],
	cwd: string,
	{
		env,
		onPrint = () => undefined,
	}: { env?: NodeJS.ProcessEnv; onPrint?: (text: string) => void } = {},
): Promise<string> {
	const child = startProgram(program, args, { cwd, env });
	let output = '';
	for (const stream of [child.stdout!, child.stderr!])
		stream.on('data', (chunk: Buffer) => {
			output += chunk.toString();
			onPrint(chunk.toString());
		});
	return await new Promise((resolve, reject) => {
		child.on('error', reject);
		child.on('close', (code, signal) =>
			code === 0
				? resolve(output)
				: reject(new ProgramError(`${program} ${args.join(' ')}`, code ?? signal, output)),
		);
	});
}
