import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../../sandbox';
import type { Collector } from '../../host/collector';
import type { Row } from '../audit';
import type { CallbackForger } from './callbackForger';
import type { CampaignHost } from './campaignHost';
import type { Arrival } from './workflows';

export type HostRow = Row & { route: 'suspend' | 'send'; model: string; body: IDataObject };

/** Rows of one execution. */
export const BATCH = 15;
const IDLE_MS = 4_000;
const TIMEOUT_MS = 240_000;

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends batches one after the other, each row under its own key, with kills and forged callbacks in between. */
export async function sendAll(
	host: CampaignHost,
	forger: CallbackForger,
	open: HostRow[],
	kills: number,
	sandbox: Sandbox,
): Promise<void> {
	const known = open.filter(({ result }) => result?.taskId);
	const unknown = open.filter(({ result }) => !result?.taskId);
	const batches = (['suspend', 'send'] as const).flatMap((by) => {
		const of = unknown.filter((row) => row.route === by);
		return Array.from({ length: Math.ceil(of.length / BATCH) }, (_, at) => ({
			by,
			rows: of.slice(at * BATCH, (at + 1) * BATCH),
		}));
	});
	batches.sort((a, b) => (a.rows[0]!.name < b.rows[0]!.name ? -1 : 1));
	if (known.length)
		await host.send(
			'fetch',
			known.map(({ result }) => ({ task_id: result!.taskId })),
		);
	// The first kill hits an execution that is about to be suspended.
	const suspending = batches.findIndex(({ by }) => by === 'suspend');
	const spread = (at: number) => Math.floor(((at + 1) * batches.length) / (kills + 1));
	const killAfter = new Set(
		Array.from({ length: kills }, (_, at) => (at === 0 ? suspending : spread(at))),
	);
	for (const [at, { by, rows }] of batches.entries()) {
		const before = sandbox.requests.length;
		await host.send(
			by,
			rows.map(({ name, model, body }) => ({ name, model, body })),
		);
		if (killAfter.has(at) && by === 'suspend') await waitForLastPoll(sandbox, before, rows.length);
		else await delay(300);
		if (at % 4 === 0) await forger.sendRound();
		if (killAfter.has(at)) {
			await host.killAndStart();
			await forger.sendRound();
		}
	}
}

/** Resolves when all tasks of an execution have been polled: it is about to be suspended. */
async function waitForLastPoll(sandbox: Sandbox, from: number, rows: number): Promise<void> {
	const deadline = Date.now() + 5_000;
	const polled = () =>
		new Set(
			sandbox.requests
				.slice(from)
				.filter(({ method }) => method === 'GET')
				.map(({ path }) => path),
		).size;
	while (polled() < rows && Date.now() < deadline) await delay(5);
}

/** Resolves when no execution is under way and nothing has arrived for a while, or when that takes too long. */
export async function waitUntilIdle(
	host: CampaignHost,
	{ received }: Collector<Arrival>,
): Promise<void> {
	const deadline = Date.now() + TIMEOUT_MS;
	while (Date.now() < deadline) {
		await delay(1_500);
		const isIdle = Date.now() - (received.at(-1)?.at ?? 0) > IDLE_MS;
		if (isIdle && (await host.unfinished()) === 0) return;
	}
}
