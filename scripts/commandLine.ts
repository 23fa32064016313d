import { parseArgs, type ParseArgsConfig } from 'node:util';
import { endPrograms } from './processes';

/** What the user gave cannot be used: the message says why, and no stack follows. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;
/** The flags of a command that were given, as `parseArgs` reads them. */
export type Flags<Defined extends Options> = ReturnType<
	typeof parseArgs<{ options: Defined }>
>['values'];

/** The numbers that were given as flags. */
export const readNumbers = <Name extends string>(
	flags: Record<Name, string>,
	usage: string,
): Record<Name, number> => {
	const numbers = Object.entries<string>(flags).map(([name, text]) => {
		if (/^\d+$/.test(text)) return [name, Number(text)];
		throw new UsageError(`--${name} must be a whole number, but is ${text}\n\n${usage}`);
	});
	return Object.fromEntries(numbers) as Record<Name, number>;
};

export interface Command<Defined extends Options> {
	/** What `--help` prints: the command, a sentence, and a line an option. */
	usage: string;
	options: Defined;
	/** Whether it takes names without a flag; they are refused unless so. */
	takesNames?: true;
	/** @param signal aborted when the user stops the command */
	run(flags: Flags<Defined>, signal: AbortSignal, names: string[]): Promise<void>;
}

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

function parse<Defined extends Options>({ options, usage, takesNames }: Command<Defined>) {
	try {
		const { values: flags, positionals } = parseArgs({
			options: { ...options, ...HELP } as Defined & typeof HELP,
			allowPositionals: takesNames ?? false,
		});
		return { flags, names: positionals };
	} catch (reason) {
		// Node's message goes on with a hint on "--" that is no use here.
		throw new UsageError(`${(reason as Error).message.split('. ')[0]}\n\n${usage}`);
	}
}

async function runCommandOnce<Defined extends Options>(
	command: Command<Defined>,
	signal: AbortSignal,
): Promise<void> {
	const { flags, names } = parse(command);
	if ((flags as { help?: boolean }).help) return console.log(command.usage);
	await command.run(flags as Flags<Defined>, signal, names);
}

/**
 * Runs a command to its end. The first Ctrl-C or SIGTERM stops it and every program it has started, a
 * second Ctrl-C does so by force. What stops it by itself ends the process with 1.
 */
export function runCommand<Defined extends Options>(command: Command<Defined>): void {
	const stop = new AbortController();
	const parent = process.ppid;
	let stoppedAt = 0;
	const end = (): void => {
		// A terminal sends Ctrl-C to this process, and npm passes it on as well: what follows at once is the same one.
		if (stop.signal.aborted && Date.now() - stoppedAt > 500) process.exit(1);
		if (stop.signal.aborted) return;
		stoppedAt = Date.now();
		stop.abort();
		void endPrograms();
	};
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, end);
	// npm passes SIGTERM to the shell in between, which ends and tells nobody.
	if (process.env.npm_lifecycle_event)
		setInterval(() => process.ppid !== parent && !stop.signal.aborted && end(), 500).unref();
	runCommandOnce(command, stop.signal)
		.catch((reason: unknown) => {
			if (stop.signal.aborted) return;
			console.error(reason instanceof Error ? reason.message : reason);
			process.exitCode = 1;
		})
		.finally(async () => {
			await endPrograms();
			process.exit();
		});
}

/** Resolves when the user stops the command. */
export async function untilStopped(signal: AbortSignal): Promise<void> {
	if (signal.aborted) return;
	await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
