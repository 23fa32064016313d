import type { AddressInfo } from 'node:net';
import fastify from 'fastify';

/** The table of a pipeline, as a database would hold it: rows to do, and what became of them. */
export interface Table {
	url: string;
	/** Rows by name, with the task that was delivered for each. */
	done: Map<string, string>;
	/** How many runs of the workflow took rows. */
	runCount: () => number;
	close: () => Promise<void>;
}

/**
 * `GET /next` hands out some rows that are not done and not handed out lately, `POST /done` notes a row.
 * A row whose run died is handed out again: that is all a schedule needs to lose nothing.
 */
export async function startTable(rows: number, atOnce: number, leaseMs: number): Promise<Table> {
	const names = Array.from({ length: rows }, (_, row) => `row ${row}`);
	const done = new Map<string, string>();
	const leased = new Map<string, number>();
	let taken = 0;
	const app = fastify();
	app.get('/next', () => {
		const free = names
			.filter((name) => !done.has(name) && Date.now() > (leased.get(name) ?? 0))
			.slice(0, atOnce);
		for (const name of free) leased.set(name, Date.now() + leaseMs);
		if (free.length) taken += 1;
		return { rows: free.map((name) => ({ name })) };
	});
	app.post<{ Body: { name: string; task_id: string } }>('/done', ({ body }) => {
		done.set(body.name, body.task_id);
		return {};
	});
	await app.listen({ port: 0, host: '127.0.0.1' });
	return {
		url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
		done,
		runCount: () => taken,
		close: async () => await app.close(),
	};
}
