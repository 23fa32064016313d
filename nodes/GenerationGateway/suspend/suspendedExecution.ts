import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../gateway/boundedMap';
import type { GatewayClient } from '../../gateway/client';
import { delay } from '../../gateway/delay';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import { CREDENTIAL, CredentialCache, type CredentialReader } from '../../n8n/credential';
import type { CredentialContext } from '../../n8n/gatewayContext';
import { systemClock, wallTime } from '../../n8n/systemClock';
import { fetchAll, findRunning, type Finding } from './findRunning';
import type { Caller } from './ownCall';
import { startOwnChecks, type Stop, type Suspension } from './ownChecks';
import { Resumption } from './resumption';
import type { Period } from './storedSuspension';

/** Delay after the last poll. */
const DELAY_MS = 500;
/** One that does not do any more is read again before that. */
const KEPT_CREDENTIAL_MS = 15 * 60_000;
const MOST_REMEMBERED = 5_000;
const MOST_NODES = 1_000;

type Checker = CredentialContext & Caller & Pick<IExecuteFunctions, 'getWorkflow'>;

/** The outcome of a callback: received, to be repeated by the caller, or the execution resumes. */
export type CallbackOutcome = 'received' | 'again' | 'resume';

/** Tells the tasks of one suspension from those of another without keeping them. */
const keyOf = (taskIds: readonly string[]) =>
	createHash('sha256').update(taskIds.join()).digest('base64');

/**
 * What this process knows of a suspended execution. Another process, or this one after a restart,
 * polls anew.
 */
export class SuspendedExecution {
	private static readonly known = new BoundedMap<string, SuspendedExecution>(MOST_REMEMBERED, {
		isActive: ({ callbacks, resumption }) => callbacks > 0 || resumption?.isUnderWay === true,
	});
	/**
	 * By node and credential. What n8n gives the node holds the whole execution, so that of the newest one
	 * checks for all.
	 */
	private static readonly checkers = new BoundedMap<string, Checker>(MOST_NODES);

	static of(executionId: string): SuspendedExecution {
		const create = () => new SuspendedExecution(executionId);
		return SuspendedExecution.known.getOrCreate(executionId, create);
	}

	/** Of the run that was suspended, and of all callbacks. */
	credential = new CredentialCache(KEPT_CREDENTIAL_MS);
	/** A poll is due: a callback that comes now is answered by it. */
	isScheduled = false;
	/** Counts what the execution went through. A call that began before the last change is about a state that is over. */
	epoch = 0;
	/** When the suspension ends, as far as this process knows. */
	period: Period | undefined;
	/** As last polled, those that still run only at the end of the suspension. */
	private readonly tasks = new Map<string, Task>();
	/** The tasks for which it is suspended, as far as this process knows. */
	private taskIds: readonly string[] = [];
	private lastPollAt = 0;
	/** The one that is under way; with many tasks it takes seconds. */
	private polling: Promise<unknown> | undefined;
	private resumption: Resumption | undefined;
	/** Those that are worked on. A second object for the execution would resume it a second time. */
	private callbacks = 0;
	private stopChecks: Stop | undefined;

	private constructor(private readonly id: string) {}

	/**
	 * It is suspended for these tasks. To evaluate them and the credential takes n8n several times as long
	 * as the rest of a callback, so what the run knows is kept.
	 */
	suspend(taskIds: readonly string[], period: Period, node: CredentialReader): void {
		this.taskIds = taskIds;
		this.period = period;
		this.resumption = undefined;
		this.epoch += 1;
		this.credential = CredentialCache.of(node).withTtl(KEPT_CREDENTIAL_MS);
		this.credential.attach(node);
	}

	/** The task once it has ended, or as it was at the last poll of the suspension. */
	latest(taskId: string): Task | undefined {
		return this.tasks.get(taskId);
	}

	/** The tasks for which it is suspended, where one of these is among them. */
	knownTaskIds(named: readonly string[]): readonly string[] | undefined {
		return named.some((id) => this.taskIds.includes(id)) ? this.taskIds : undefined;
	}

	/**
	 * Takes a callback. It is only a hint that something has ended: the tasks are fetched with the
	 * credential. Calls that come together share one poll, and the last of them is always followed by
	 * one. Of calls that find at the same time that all have ended, the first resumes the execution; the
	 * others have nothing left to do. `epoch` is that of the moment at which n8n handed the call over. When
	 * the suspension closes, all tasks are fetched, and the execution goes on whatever their state.
	 */
	async take(
		client: GatewayClient,
		taskIds: readonly string[],
		{ epoch = this.epoch, period }: { epoch?: number; period?: Period } = {},
	): Promise<CallbackOutcome> {
		this.callbacks += 1;
		const outcome = this.poll(client, taskIds, epoch, period);
		return await outcome.finally(() => (this.callbacks -= 1));
	}

	private async poll(
		client: GatewayClient,
		taskIds: readonly string[],
		epoch: number,
		period: Period | undefined,
	): Promise<CallbackOutcome> {
		const key = keyOf(taskIds);
		const early = this.resumption?.answer(key);
		if (early) return early;
		this.taskIds = taskIds;
		this.period = period;
		this.isScheduled = true;
		const open = () => [...new Set(taskIds)].filter((id) => !this.hasSeenEnd(id));
		await this.polling;
		await delay(systemClock, Math.max(0, this.lastPollAt + DELAY_MS - systemClock.now()));
		this.isScheduled = false;
		if (epoch !== this.epoch) return 'received';
		this.lastPollAt = systemClock.now();

		const isClosing = period !== undefined && wallTime() >= period.closesAt;
		const poll = (isClosing ? fetchAll : findRunning)(client, open());
		this.polling = poll.catch(() => undefined);
		const hasAnswer = this.keep(await poll);
		if (epoch !== this.epoch) return 'received';
		if (this.resumption?.answer(key) === 'again') return 'again';
		if (!hasAnswer) return 'again';
		if (open().length && !isClosing) return 'received';
		this.resumption = new Resumption(key);
		return 'resume';
	}

	/**
	 * Reads the credential anew before the execution goes on: the copy that served its callbacks may be
	 * that of a credential which was deleted meanwhile. False where it cannot be read; then nothing goes on.
	 */
	async renewCredential(node: CredentialReader): Promise<boolean> {
		this.credential.forget();
		try {
			await this.credential.read(node);
			return true;
		} catch {
			this.finishResume(false);
			return false;
		}
	}

	/**
	 * The items of the resumed execution are made, or could not be: then the next callback tries again.
	 * What was kept for it is let go.
	 */
	finishResume(isDone: boolean): void {
		const resumption = this.resumption!;
		if (!isDone) return resumption.fail();
		resumption.start();
		this.epoch += 1;
		this.tasks.clear();
		this.taskIds = [];
		this.credential.forget();
		this.setChecks(undefined);
	}

	/** From now on these checks are those of the execution; the former ones end. */
	setChecks(stopChecks: Stop | undefined): void {
		this.stopChecks?.();
		this.stopChecks = stopChecks;
	}

	/** Checks by itself from now on. */
	startChecks(node: Checker, suspension: Suspension): void {
		const { checkers, known } = SuspendedExecution;
		const { id, credentials } = node.getNode();
		const key = `${node.getWorkflow().id} ${id} ${credentials?.[CREDENTIAL]?.id}`;
		checkers.set(key, node);
		const checker = () => checkers.get(key);
		this.setChecks(startOwnChecks(checker, suspension, () => known.delete(this.id)));
	}

	/** A process that was started after the suspension, or another one, does not check yet. */
	get isChecked(): boolean {
		return this.stopChecks !== undefined;
	}

	/** n8n says that the execution has gone on. */
	confirm(): void {
		this.resumption?.confirm();
	}

	private hasSeenEnd(taskId: string): boolean {
		const task = this.tasks.get(taskId);
		return task !== undefined && hasEnded(task);
	}

	/** Keeps what was found; false when nothing could be fetched. */
	private keep({ tasks, hasAnswer }: Finding): boolean {
		for (const task of tasks) this.tasks.set(task.taskId, task);
		return hasAnswer;
	}
}
