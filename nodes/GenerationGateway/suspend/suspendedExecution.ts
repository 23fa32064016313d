import type { GatewayClient } from '../../gateway/client';
import { delay } from '../../gateway/delay';
import type { Task } from '../../gateway/tasks/schema';
import { CredentialCache, type CredentialReader } from '../../n8n/credential';
import { systemClock } from '../../n8n/systemClock';
import { findRunning } from './findRunning';

/** Delay after the last poll, at least and for each task that it fetched. */
const DELAY_MS = 500;
const DELAY_PER_TASK_MS = 20;
/** One that does not do any more is read again before that. */
const KEPT_CREDENTIAL_MS = 15 * 60_000;
/**
 * n8n resumes within this time or refuses, e.g. because it is recovering the execution after a crash.
 * Callbacks in between are answered so that their sender repeats them and one of them finds the
 * execution suspended or resumed.
 */
const RESUMING_MS = 3_000;
/**
 * That time is counted in steps: right after its start n8n stands still for seconds, and calls that came
 * meanwhile must not find the time over before n8n had any of it.
 */
const STEPS = 6;
const MOST_REMEMBERED = 5_000;

/**
 * `waiting`: no call is under way. `scheduled`: a poll is due, and calls until then count for it.
 * `resuming`: all tasks have ended and n8n goes on with the execution; a second resume would be an
 * error.
 */
type State = 'waiting' | 'scheduled' | 'resuming';

/** The outcome of a callback: received, to be repeated by the caller, or the execution resumes. */
export type CallbackOutcome = 'noted' | 'again' | 'resume';

/**
 * What this process knows of a suspended execution. Another process, or this one after a restart,
 * polls anew.
 */
export class SuspendedExecution {
	private static readonly known = new Map<string, SuspendedExecution>();

	static of(executionId: string): SuspendedExecution {
		const { known } = SuspendedExecution;
		const execution = known.get(executionId) ?? new SuspendedExecution();
		known.set(executionId, execution);
		if (known.size > MOST_REMEMBERED) known.delete(known.keys().next().value!);
		return execution;
	}

	/** Of the run that was suspended, and of all callbacks. */
	credential = new CredentialCache(KEPT_CREDENTIAL_MS);
	private readonly endedTasks = new Map<string, Task>();
	/** The tasks for which it is suspended, as far as this process knows. */
	private taskIds: readonly string[] = [];
	private state: State = 'waiting';
	private lastPollAt = 0;
	private lastPollSize = 0;
	/** The tasks with which the execution has last gone on, and whether n8n has had its time for it. */
	private resumed: { taskIds: string; isOver: boolean } | undefined;

	/**
	 * It is suspended for these tasks. To evaluate them and the credential takes n8n several times as long
	 * as the rest of a callback, so what the run knows is kept.
	 */
	suspend(taskIds: readonly string[], node: CredentialReader): void {
		this.taskIds = taskIds;
		this.credential = CredentialCache.of(node).keptFor(KEPT_CREDENTIAL_MS);
		this.credential.serve(node);
	}

	/** The task once it has ended. */
	ended(taskId: string): Task | undefined {
		return this.endedTasks.get(taskId);
	}

	/** The tasks for which it is suspended, where one of these is among them. */
	knownTaskIds(named: readonly string[]): readonly string[] | undefined {
		return named.some((id) => this.taskIds.includes(id)) ? this.taskIds : undefined;
	}

	/** A poll is due: a callback that comes now is answered by it. */
	get isScheduled(): boolean {
		return this.state === 'scheduled';
	}

	/**
	 * Takes a callback. It is only a hint that something has ended: the tasks are fetched with the
	 * credential. Calls that come together share one poll, and the last of them is always followed by
	 * one.
	 */
	async take(client: GatewayClient, taskIds: readonly string[]): Promise<CallbackOutcome> {
		if (this.isResuming(taskIds)) return 'again';
		this.taskIds = taskIds;
		this.state = 'scheduled';
		const open = () => [...new Set(taskIds)].filter((id) => !this.endedTasks.has(id));
		const delayMs = Math.max(DELAY_MS, this.lastPollSize * DELAY_PER_TASK_MS);
		await delay(systemClock, Math.max(0, this.lastPollAt + delayMs - systemClock.now()));
		this.state = 'waiting';
		this.lastPollAt = systemClock.now();

		const hasAnswer = await this.poll(client, open());
		if (open().length) return hasAnswer ? 'noted' : 'again';
		if (this.isResuming(taskIds)) return 'again';
		this.state = 'resuming';
		this.resumed = { taskIds: taskIds.join(), isOver: false };
		return 'resume';
	}

	/** The items of the resumed execution are made, or could not be: then the next callback tries again. */
	finishResume(isDone: boolean): void {
		this.state = 'waiting';
		const resumed = this.resumed!;
		resumed.isOver = !isDone;
		if (!isDone) return;
		this.endedTasks.clear();
		this.taskIds = [];
		this.credential.forget();
		const count = (steps: number): void => {
			if (steps) systemClock.after(RESUMING_MS / STEPS, () => count(steps - 1));
			else resumed.isOver = true;
		};
		count(STEPS);
	}

	private isResuming(taskIds: readonly string[]): boolean {
		return this.resumed?.taskIds === taskIds.join() && !this.resumed.isOver;
	}

	/** Notes the tasks that have ended; false when none could be fetched. */
	private async poll(client: GatewayClient, taskIds: string[]): Promise<boolean> {
		const { ended, hasAnswer, count } = await findRunning(client, taskIds);
		for (const task of ended) this.endedTasks.set(task.taskId, task);
		this.lastPollSize = count;
		return hasAnswer;
	}
}
