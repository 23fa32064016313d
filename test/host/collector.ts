import fastify from 'fastify';
import type { AddressInfo } from 'node:net';

export interface Collector {
  url: string;
  /** What was posted, oldest first. */
  received: unknown[];
  /** Resolves once as many have come as are asked for. */
  until(many: number, seconds?: number): Promise<unknown[]>;
  close(): Promise<void>;
}

/** A server that a workflow ends at, so that what leaves it can be seen. */
export async function startCollector(): Promise<Collector> {
  const received: unknown[] = [];
  const app = fastify({ bodyLimit: 64 * 1024 * 1024 });
  app.post('/', (request) => {
    received.push(request.body);
    return {};
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    received,
    async until(many, seconds = 120) {
      for (const end = Date.now() + seconds * 1000; received.length < many && Date.now() < end; ) await new Promise((done) => setTimeout(done, 50));
      return received;
    },
    close: async () => await app.close(),
  };
}
