import type { IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../gateway/boundedMap';
import type { GatewayClient } from '../../gateway/client';
import { delay } from '../../gateway/delay';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import {
	CREDENTIAL,
	CredentialCache,
	isExpressionError,
	type CredentialReader,
} from '../../n8n/credential';
import type { CredentialContext } from '../../n8n/gatewayContext';
import { systemClock, wallTime } from '../../n8n/systemClock';
import { findRunning } from './findRunning';
import type { Caller } from './ownCall';
import { confirmResume, startOwnChecks, type Stop, type Suspension } from './ownChecks';
import { Resumption } from './resumption';
import type { Period } from './storedSuspension';

/** Between two polls. */
const DELAY_MS = 500;
/** Where it does not work any more, it is read again before. */
const KEPT_CREDENTIAL_MS = 15 * 60_000;
const MOST_REMEMBERED = 5_000;
const MOST_NODES = 1_000;

type Checker = CredentialContext & Caller & Pick<IExecuteFunctions, 'getWorkflow'>;

/** The answer to a callback: received, to be repeated, or the execution resumes. */
type CallbackOutcome = 'received' | 'again' | 'resume';

/** What this process knows of a suspended execution. Another process polls anew. */
export class SuspendedExecution {
	private static readonly known = new BoundedMap<string, SuspendedExecution>(MOST_REMEMBERED, {
		isActive: ({ isActive }) => isActive,
	});
	/** By node and credential. A node's context holds the whole execution, so only the newest one is kept. */
	private static readonly checkers = new BoundedMap<string, Checker>(MOST_NODES);

	static of(executionId: string): SuspendedExecution {
		const create = () => new SuspendedExecution(executionId);
		return SuspendedExecution.known.getOrCreate(executionId, create);
	}

	/** Of the run and of all callbacks. */
	credential = new CredentialCache(KEPT_CREDENTIAL_MS);
	/** A poll is due, which answers this callback as well. */
	isScheduled = false;
	/** Counts resumes. A call of an earlier epoch is about a state that is over. */
	epoch = 0;
	/** As far as this process knows. */
	period: Period | undefined;
	/** At their last poll. Running ones only at the end of the suspension. */
	private readonly tasks = new Map<string, Task>();
	/** As far as this process knows. */
	private taskIds: readonly string[] = [];
	private lastPollAt = 0;
	/** The poll under way. With many tasks it takes seconds. */
	private polling: Promise<unknown> | undefined;
	private readonly resumption = new Resumption();
	/** Callbacks under way. */
	private callbacks = 0;
	private stopChecks: Stop | undefined;

	private constructor(private readonly id: string) {}

	/**
	 * Keeps what the run knows: n8n takes several times as long to evaluate it as for the rest of a callback. Gives the
	 * tasks of the suspension before, where another process has let the execution go on.
	 */
	suspend(taskIds: readonly string[], period: Period, node: CredentialReader): readonly string[] {
		const earlier = this.taskIds;
		this.taskIds = taskIds;
		this.period = period;
		this.resumption.suspend(taskIds);
		this.credential = CredentialCache.of(node);
		this.credential.keptMs = KEPT_CREDENTIAL_MS;
		return earlier;
	}

	/** The task at its end, or at the last poll. */
	latest(taskId: string): Task | undefined {
		return this.tasks.get(taskId);
	}

	/** The tasks of the suspension, if one of these is among them. */
	knownTaskIds(named: readonly string[]): readonly string[] | undefined {
		return named.some((id) => this.taskIds.includes(id)) ? this.taskIds : undefined;
	}

	/**
	 * Takes a callback, which is only a hint: the tasks are fetched with the credential. Calls that come
	 * together share one poll; the first that finds all ended resumes the execution. `epoch`: when n8n handed
	 * the call over. At the end of the suspension all are fetched, and the execution goes on whatever their
	 * state.
	 */
	async take(
		client: GatewayClient,
		taskIds: readonly string[],
		{ epoch = this.epoch, period }: { epoch?: number; period?: Period } = {},
	): Promise<CallbackOutcome> {
		const early = this.resumption.answerEarly(taskIds);
		if (early) return early;
		this.callbacks += 1;
		this.taskIds = taskIds;
		this.period = period;
		this.isScheduled = true;
		const open = () => [...new Set(taskIds)].filter((id) => !this.hasSeenEnd(id));
		try {
			await this.polling;
			const left = this.lastPollAt + DELAY_MS - systemClock.now();
			await delay({ clock: systemClock }, Math.max(0, left));
			this.isScheduled = false;
			if (epoch !== this.epoch) return 'received';
			this.lastPollAt = systemClock.now();

			const isClosing = period !== undefined && wallTime() >= period.closesAt;
			const poll = findRunning(client, open(), isClosing);
			this.polling = poll.catch(() => undefined);
			const { tasks, hasAnswer } = await poll;
			for (const task of tasks) this.tasks.set(task.taskId, task);
			if (epoch !== this.epoch) return 'received';
			if (!hasAnswer || this.resumption.answerEarly(taskIds) === 'again') return 'again';
			if (open().length && !isClosing) return 'received';
			this.resumption.start(taskIds);
			return 'resume';
		} finally {
			this.callbacks -= 1;
		}
	}

	/** Reads the credential again, which may have been deleted. Returns false where it cannot be read. */
	async renewCredential(node: CredentialReader & Pick<Checker, 'logger'>): Promise<boolean> {
		this.credential.expire();
		try {
			// While its database is away, n8n could not go on.
			await this.credential.read(node, isExpressionError);
			return true;
		} catch (error) {
			node.logger.warn(
				`Generation Gateway: execution ${this.id} cannot go on, since its credential cannot be read: ${(error as Error).message}`,
			);
			this.finishResume(false);
			return false;
		}
	}

	/** The items are made, or could not be. Then the next callback tries again. */
	finishResume(isDone: boolean): void {
		if (!isDone) return this.resumption.forget();
		this.resumption.succeed();
		this.epoch += 1;
		this.tasks.clear();
		this.taskIds = [];
		this.credential.forget();
		this.setChecks(undefined);
	}

	/** Replaces the checks of the execution. */
	setChecks(stopChecks: Stop | undefined): void {
		this.stopChecks?.();
		this.stopChecks = stopChecks;
	}

	/** The newest context of the node, for checks. */
	private static rememberChecker(node: Checker): () => Checker | undefined {
		const { checkers } = SuspendedExecution;
		const { id, credentials } = node.getNode();
		const key = `${node.getWorkflow().id} ${id} ${credentials?.[CREDENTIAL]?.id}`;
		checkers.set(key, node);
		return () => checkers.get(key);
	}

	/** Asks n8n until it says that the execution has gone on. */
	confirmResume(node: Checker, suspension: Suspension): void {
		const checker = SuspendedExecution.rememberChecker(node);
		this.setChecks(confirmResume(checker, suspension, () => this.confirm()));
	}

	startChecks(node: Checker, suspension: Suspension): void {
		const { known } = SuspendedExecution;
		const checker = SuspendedExecution.rememberChecker(node);
		const onOver = () => {
			this.setChecks(undefined);
			if (!this.isActive && known.get(this.id) === this) known.delete(this.id);
		};
		this.setChecks(startOwnChecks(checker, suspension, onOver));
	}

	/** A second object would resume the execution again. */
	private get isActive(): boolean {
		return this.callbacks > 0 || this.resumption.isPending;
	}

	/** False in another process, and after a restart. */
	get isChecked(): boolean {
		return this.stopChecks !== undefined;
	}

	/** n8n says that the execution has gone on. */
	confirm(): void {
		this.resumption.confirm();
	}

	private hasSeenEnd(taskId: string): boolean {
		const task = this.tasks.get(taskId);
		return task !== undefined && hasEnded(task);
	}
}
