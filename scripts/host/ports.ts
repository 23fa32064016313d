import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { UsageError } from '../commandLine';

const HIGHEST_PORT = 65_535;
/** n8n's server and, one above, the broker of its task runners. */
const PORTS_OF_HOST = 2;

/** A port as given on the command line; 0 is any free one, where that is allowed. */
export function readPort(
	text: string,
	{ lowest = 1, highest = HIGHEST_PORT }: { lowest?: number; highest?: number } = {},
): number {
	const port = /^\d+$/.test(text) ? Number(text) : NaN;
	if (port >= lowest && port <= highest) return port;
	throw new UsageError(`--port must be a number from ${lowest} to ${highest}, but is ${text}`);
}

/** The port of an editor, as given on the command line. */
export const readHostPort = (text: string): number =>
	readPort(text, { highest: HIGHEST_PORT - PORTS_OF_HOST + 1 });

/** The reason why nothing can listen there; none when something can, or when the address is not of this machine. */
async function findListenError(port: number, address: string): Promise<string | undefined> {
	return await new Promise((resolve) => {
		const server = createServer()
			.once('error', ({ code }: NodeJS.ErrnoException) =>
				resolve(code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' ? undefined : code),
			)
			.listen(port, address, () => server.close(() => resolve(undefined)));
	});
}

/** The first port of an editor that another program has, and why it cannot be used. */
async function findTaken(port: number): Promise<{ taken: number; code: string } | undefined> {
	for (let taken = port; taken < port + PORTS_OF_HOST; taken += 1)
		for (const address of ['127.0.0.1', '::1']) {
			const code = await findListenError(taken, address);
			if (code) return { taken, code };
		}
	return undefined;
}

/** Refuses a port of an editor where another program listens already. */
export async function assertHostPortFree(port: number): Promise<void> {
	const { taken, code } = (await findTaken(port)) ?? {};
	if (!code) return;
	const reason = code === 'EACCES' ? 'needs more rights' : 'is taken by another program';
	throw new UsageError(
		`Port ${taken} ${reason}. Choose another one, e.g. --port ${await findFreePort()}`,
	);
}

/**
 * A port that nothing listens on now, nor on the one above it, from the given one on. It is not among those that
 * the system gives to outgoing connections (32,768 and above): one of them could take it before it is used.
 */
export async function findFreePort(from = randomInt(10_000, 30_000)): Promise<number> {
	let port = from;
	while (await findTaken(port)) port += 1;
	return port;
}
