import { sleep } from 'n8n-workflow';
import { awaitTask } from '../nodes/gateway/tasks/awaitTask';
import type { Clock } from '../nodes/gateway/context';
import type { GatewayClient } from '../nodes/gateway/client';
import { PollCoordinator } from '../nodes/gateway/tasks/pollCoordinator';
import { readTask } from '../nodes/gateway/tasks/schema';
import { withFakeTimers } from './clock';
import { mean } from './result';

/** What a gateway says of a running task, 0-100, by the share of its time that has passed. */
export type Progress = (share: number) => number;

/** On timers that can be replaced. */
const clock: Clock = {
	now: () => Date.now(),
	after(ms, callback) {
		const timer = setTimeout(callback, ms);
		return () => clearTimeout(timer);
	},
};
/** Milliseconds a call takes. */
const CALL_MS = 20;
const POLL_OPTIONS = { timeoutMs: 1_200_000, longestMs: 10_000 };
const SAMPLES = 60;

export interface Knowledge {
	/** How long the submission itself waited. */
	waitedMs?: number;
	/** What tasks of the model took at least in earlier runs. */
	knownMs?: number;
}

export interface Detection {
	/** Milliseconds from the end of the task to the moment the node knows of it. */
	delayMs: number;
	polls: number;
}

/** One task of this length, awaited by the node's own code on a clock that jumps. */
async function simulate(
	took: number,
	progress: Progress,
	{ waitedMs = 0, knownMs }: Knowledge,
): Promise<Detection> {
	return await withFakeTimers(async () => {
		const since = Date.now();
		let polls = 0;
		const createTask = () => {
			const share = (Date.now() - since) / took;
			return {
				task_id: 'task_1',
				model: 'any',
				status: share >= 1 ? 'completed' : 'processing',
				progress: share >= 1 ? 100 : Math.floor(progress(share)),
				...(share >= 1 && { result: { images: [{ url: 'https://example.com/a.png' }] } }),
			};
		};
		const request = async () => {
			polls += 1;
			await sleep(CALL_MS / 2);
			const body = readTask(createTask())!;
			await sleep(CALL_MS / 2);
			return { body, requestedAt: Date.now() };
		};
		const stream = async () => await Promise.reject(new Error('Nothing is streamed'));
		const send = stream;
		const getSecret = async () => '';
		const client: GatewayClient = {
			request: request as unknown as GatewayClient['request'],
			stream,
			context: { send, clock, getSecret },
			isRefusing: false,
			waitsUntil: 0,
		};
		await sleep(Math.min(took, waitedMs));
		await awaitTask(
			client,
			readTask(createTask())!,
			{ ...POLL_OPTIONS, submittedAt: since },
			new PollCoordinator(clock, new Map(knownMs ? [['any', knownMs]] : [])),
		);
		return { delayMs: Date.now() - since - took, polls: polls };
	});
}

/** Tasks a little shorter and longer than this, as a mean. */
export async function simulateAverage(
	seconds: number,
	progress: Progress,
	knowledge: Knowledge = {},
): Promise<Detection> {
	const all: Detection[] = [];
	for (let at = 0; at < SAMPLES; at += 1)
		all.push(
			await simulate(
				Math.round(seconds * 1000 * (0.9 + (0.2 * at) / SAMPLES)),
				progress,
				knowledge,
			),
		);
	return {
		delayMs: mean(all.map(({ delayMs }) => delayMs)),
		polls: mean(all.map(({ polls }) => polls)),
	};
}
