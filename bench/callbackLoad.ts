import { setTimeout as after } from 'node:timers/promises';
import type { Sandbox } from '../sandbox';

export interface Callback {
	/** Milliseconds from the end of the task to the first answer to its callback. */
	answerMs: number;
	/** Status of the first answer; undefined where none came. */
	status?: number;
	/** Calls until one was taken. */
	calls: number;
}

/** Ends tasks at a rate and tells how each of their callbacks was answered; in a random order. */
export async function endTasks(
	sandbox: Sandbox,
	taskIds: string[],
	perSecond: number,
): Promise<Callback[]> {
	const startedAt = performance.now();
	const callbacks: Promise<Callback>[] = [];
	for (const [at, taskId] of shuffled(taskIds).entries()) {
		const delayMs = startedAt + (at * 1000) / perSecond - performance.now();
		if (delayMs > 0) await after(delayMs);
		callbacks.push(endTask(sandbox, taskId));
	}
	return await Promise.all(callbacks);
}

async function endTask(sandbox: Sandbox, taskId: string): Promise<Callback> {
	const endedAt = Date.now();
	await sandbox.finish(taskId);
	const { deliveries } = sandbox.task(taskId)!;
	const [first] = deliveries;
	return { answerMs: first!.at - endedAt, status: first!.status, calls: deliveries.length };
}

/** By the digits of the IDs, which are random. */
const shuffled = (taskIds: string[]): string[] => [...taskIds].sort();

export function percentile(numbers: readonly number[], share: number): number {
	const sorted = [...numbers].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
