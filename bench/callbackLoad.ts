import { setTimeout as after } from 'node:timers/promises';
import axios from 'axios';
import type { Sandbox } from '../sandbox';
import { readLoad } from '../scripts/processLoad';

const TIMEOUT_MS = 30_000;

export interface Answer {
	/** Milliseconds from the call to its answer. */
	ms: number;
	/** Undefined where none came. */
	status?: number;
}

/** Calls at a rate, and how they were answered. */
export interface CallbackLoad {
	label: string;
	perSecond: number;
	answers: Answer[];
	/** Processor milliseconds of n8n for a call. */
	cpuMs: number;
}

/** Makes calls at a rate, whether the ones before have been answered or not. */
export async function callAtRate<Target>(
	label: string,
	processId: number,
	perSecond: number,
	targets: Target[],
	send: (target: Target) => Promise<Answer>,
): Promise<CallbackLoad> {
	const before = await readLoad(processId);
	const startedAt = performance.now();
	const answers: Promise<Answer>[] = [];
	for (const [at, target] of targets.entries()) {
		const delayMs = startedAt + (at * 1000) / perSecond - performance.now();
		if (delayMs > 0) await after(delayMs);
		answers.push(send(target));
	}
	const all = await Promise.all(answers);
	const used = (await readLoad(processId)).cpuSeconds - before.cpuSeconds;
	return { label, perSecond, answers: all, cpuMs: (1000 * used) / targets.length };
}

/** Ends a task; its first callback is what counts. */
export const endTask =
	(sandbox: Sandbox) =>
	async (taskId: string): Promise<Answer> => {
		const endedAt = Date.now();
		await sandbox.finish(taskId);
		const [first] = sandbox.task(taskId)!.deliveries;
		return { ms: first!.at - endedAt, status: first!.status };
	};

/** Calls a link as the gateway does. */
export async function callLink(link: string): Promise<Answer> {
	const calledAt = Date.now();
	const response = await axios
		.post(link, {}, { timeout: TIMEOUT_MS, validateStatus: () => true })
		.catch(() => undefined);
	return { ms: Date.now() - calledAt, status: response?.status };
}

export function percentile(numbers: readonly number[], share: number): number {
	const sorted = [...numbers].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
