import fastify from 'fastify';
import type { AddressInfo } from 'node:net';
import type { Source } from './workflows';

/** An item that left a workflow. */
export interface Arrival {
  from: Source;
  execution: string;
  item: Record<string, unknown>;
  /** Unix milliseconds. */
  at: number;
}

export interface Collector {
  url: string;
  /** Oldest first. */
  arrivals: Arrival[];
  close(): Promise<void>;
}

/** Stands for whatever users send their results to: it keeps every item that a workflow posts. */
export async function startCollector(take: (arrival: Arrival) => void): Promise<Collector> {
  const arrivals: Arrival[] = [];
  const app = fastify({ logger: false, bodyLimit: 16 * 1024 * 1024, forceCloseConnections: true });
  app.post('/', async (request) => {
    const arrival: Arrival = { ...(request.body as Omit<Arrival, 'at'>), at: Date.now() };
    arrivals.push(arrival);
    take(arrival);
    return { received: true };
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, arrivals, close: async () => await app.close() };
}
