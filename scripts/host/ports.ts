import { createServer } from 'node:net';

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
