import { sleep } from 'n8n-workflow';
import { awaitTask } from '../nodes/gateway/tasks/awaitTask';
import type { GatewayClient } from '../nodes/gateway/client';
import { PollCoordinator } from '../nodes/gateway/tasks/pollCoordinator';
import { readTask } from '../nodes/gateway/tasks/schema';
import { byJumpingClock } from './clock';
import { mean } from './result';

/** What a gateway says of a running task, 0-100, by the share of its time that has passed. */
export type Progress = (share: number) => number;

/** Milliseconds a call takes. */
const CALL_MS = 20;
const PATIENCE = { timeoutMs: 1_200_000, longestMs: 10_000 };
const SAMPLES = 60;

export interface Seen {
	/** Milliseconds from the end of the task to the moment the node knows of it. */
	late: number;
	looks: number;
}

/** One task of this length, awaited by the node's own code on a clock that jumps. */
async function seen(took: number, progress: Progress, waitedMs: number): Promise<Seen> {
	return await byJumpingClock(async () => {
		const since = Date.now();
		let looks = 0;
		const reply = () => {
			const share = (Date.now() - since) / took;
			return {
				task_id: 'task_1',
				model: 'any',
				status: share >= 1 ? 'completed' : 'processing',
				progress: share >= 1 ? 100 : Math.floor(progress(share)),
			};
		};
		const call: GatewayClient['request'] = async () => {
			looks += 1;
			await sleep(CALL_MS / 2);
			const body = reply();
			await sleep(CALL_MS / 2);
			return { body, askedAt: Date.now() };
		};
		const client: GatewayClient = { request: call, stream: async () => undefined, concurrency: 20 };
		await sleep(Math.min(took, waitedMs));
		await awaitTask(client, readTask(reply())!, { ...PATIENCE, since }, new PollCoordinator());
		return { late: Date.now() - since - took, looks };
	});
}

/** Tasks a little shorter and longer than this, as a mean; `waitedMs` is how long the submission itself waited. */
export async function seenOnAverage(
	seconds: number,
	progress: Progress,
	waitedMs = 0,
): Promise<Seen> {
	const all: Seen[] = [];
	for (let at = 0; at < SAMPLES; at += 1)
		all.push(
			await seen(Math.round(seconds * 1000 * (0.9 + (0.2 * at) / SAMPLES)), progress, waitedMs),
		);
	return { late: mean(all.map(({ late }) => late)), looks: mean(all.map(({ looks }) => looks)) };
}
