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

/** Refuses a port of an editor where another program listens already. */
export async function assertHostPortFree(port: number): Promise<void> {
	for (let taken = port; taken < port + PORTS_OF_HOST; taken += 1)
		for (const address of ['127.0.0.1', '::1']) {
			const code = await findListenError(taken, address);
			if (!code) continue;
			const reason = code === 'EACCES' ? 'needs more rights' : 'is taken by another program';
			throw new UsageError(
				`Port ${taken} ${reason}. Choose another one, e.g. --port ${await findFreePort()}`,
			);
		}
}

/** A port of this machine that nothing listens on now. */
export async function findFreePort(): Promise<number> {
	return await new Promise((resolve, reject) => {
		const server = createServer()
			.once('error', reject)
			.listen(0, '127.0.0.1', () => {
				const { port } = server.address() as { port: number };
				server.close(() => resolve(port));
			});
	});
}
