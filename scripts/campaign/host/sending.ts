import type { IDataObject } from 'n8n-workflow';
import type { Collector } from '../../host/collector';
import type { Row } from '../audit';
import type { Forger } from './callbackForger';
import type { CampaignHost } from './campaignHost';
import type { Arrival } from './workflows';

export type HostRow = Row & { by: 'park' | 'send'; model: string; body: IDataObject };

/** Rows of one execution. */
export const BATCH = 15;
const QUIET_MS = 4_000;
const PATIENCE_MS = 240_000;

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends batches one after the other, each row under its own key, with kills and forgeries in between. */
export async function sendAll(
	host: CampaignHost,
	forger: Forger,
	open: HostRow[],
	kills: number,
): Promise<void> {
	const known = open.filter(({ ending }) => ending?.taskId);
	const unknown = open.filter(({ ending }) => !ending?.taskId);
	const batches = (['park', 'send'] as const).flatMap((by) => {
		const of = unknown.filter((row) => row.by === by);
		return Array.from({ length: Math.ceil(of.length / BATCH) }, (_, at) => ({
			by,
			rows: of.slice(at * BATCH, (at + 1) * BATCH),
		}));
	});
	batches.sort((a, b) => (a.rows[0]!.name < b.rows[0]!.name ? -1 : 1));
	if (known.length)
		await host.send(
			'fetch',
			known.map(({ ending }) => ({ task_id: ending!.taskId })),
		);
	const killAfter = new Set(
		Array.from({ length: kills }, (_, at) => Math.floor(((at + 1) * batches.length) / (kills + 1))),
	);
	for (const [at, { by, rows }] of batches.entries()) {
		await host.send(
			by,
			rows.map(({ name, model, body }) => ({ name, model, body })),
		);
		await after(300);
		if (at % 4 === 0) await forger.round();
		if (killAfter.has(at)) {
			await host.killAndStart();
			await forger.round();
		}
	}
}

/** Resolves when no execution is under way and nothing has arrived for a while, or when that takes too long. */
export async function quiet(host: CampaignHost, { received }: Collector<Arrival>): Promise<void> {
	const until = Date.now() + PATIENCE_MS;
	while (Date.now() < until) {
		await after(1_500);
		const isStill = Date.now() - (received.at(-1)?.at ?? 0) > QUIET_MS;
		if (isStill && (await host.unfinished()) === 0) return;
	}
}
