import fastify from 'fastify';
import type { AddressInfo } from 'node:net';

/** What was posted, and when it arrived: Unix milliseconds. */
export type Received<Posted> = Posted & { at: number };

export interface Collector<Posted> {
	url: string;
	/** Oldest first. */
	received: Received<Posted>[];
	/** Resolves once `many` have arrived, or after `seconds`. */
	until(many: number, seconds?: number): Promise<Received<Posted>[]>;
	close(): Promise<void>;
}

/** A server that keeps what workflows post to it, and passes each post to `take`. */
export async function startCollector<Posted>(
	take: (posted: Received<Posted>) => void = () => undefined,
): Promise<Collector<Posted>> {
	const received: Received<Posted>[] = [];
	const app = fastify({ bodyLimit: 64 * 1024 * 1024, forceCloseConnections: true });
	app.post('/', async (request) => {
		const posted = { ...(request.body as Posted), at: Date.now() };
		received.push(posted);
		take(posted);
		return { received: true };
	});
	await app.listen({ port: 0, host: '127.0.0.1' });
	return {
		url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`,
		received,
		async until(many, seconds = 120) {
			for (const end = Date.now() + seconds * 1000; received.length < many && Date.now() < end;)
				await new Promise((done) => setTimeout(done, 50));
			return received;
		},
		close: async () => await app.close(),
	};
}
