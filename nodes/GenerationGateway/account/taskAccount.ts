import { GatewayError, withDetails } from '../../gateway/errors';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import type { Run } from '../operation';
import { cancelTaskOnStop, isStopped } from '../tasks/cancelOnStop';
import { retiredKeys } from '../tasks/taskKey';
import type { TaskPlan } from '../tasks/taskPlan';
import { TaskClaim } from './taskClaim';
import { TaskObserver } from './taskObserver';

/** Whether it is known that the row has no task, so that nothing counts for the budget. */
const hasMadeNothing = (error: unknown): boolean =>
	error instanceof GatewayError &&
	error.details.billed === 0 &&
	(error.details.task_id === undefined || error.code === 'idempotency_key_conflict');

/** Whether a reply was lost that may have made one. */
const mayHaveMade = (error: unknown): boolean =>
	!(error instanceof GatewayError) || error.details.may_have_executed === true;

/**
 * The account of one row's task, from before it is sent until its end. It alone tells the budget, the
 * record of the execution, the summary of the run, the memory of its rows and the keys what has happened.
 */
export class TaskAccount {
	/** Its ID is known. */
	private isKnown = false;
	private claim: TaskClaim | undefined;
	private readonly observer: TaskObserver;

	constructor(
		private readonly plan: TaskPlan,
		private readonly run: Run,
	) {
		this.observer = new TaskObserver(plan, run);
	}

	/** The task was made by another execution: nothing is billed for it now. */
	get isReused(): boolean {
		return this.observer.isReused;
	}

	/** Waits until the row may be sent. From now on Retry On Fail gets what this one makes. */
	async open(): Promise<void> {
		const { plan, run } = this;
		const { charge } = plan.reservation;
		// The task that is known of the key is not the one that will be found.
		const isRetired = retiredKeys.current(plan.key.key) !== plan.key.key;
		charge.isReplaced ||= isRetired && charge.taskId === undefined;
		await run.budget.admit(plan.reservation);
		run.record.begin();
		run.rows.keep(plan);
	}

	/**
	 * The gateway has answered the submission; `isRepeat`: an earlier attempt of it may have made the task.
	 * Gives the reason why the task must be cancelled when it holds more than a limit allows.
	 */
	submitted(task: Task, isRepeat: boolean): string | undefined {
		const { plan, run } = this;
		const { taskId } = task;
		this.isKnown = true;
		const { isUnclear = false, holders } = plan.reservation.charge;
		// Another row with the key may have made it, too.
		const mayBeOwn = isRepeat || isUnclear || holders > 1;
		this.observer.isReused = run.record.isOlder(task, { ...plan.key, isRepeat: mayBeOwn });
		const isNew = !this.isReused && run.record.add(task, this.observer);
		if (isNew) run.summary.addSubmitted(task, run.coordinator.expected(task.model ?? ''));
		if (isNew && plan.key.spansExecutions) this.claim = new TaskClaim(run.context, taskId);
		if (this.isReused) run.summary.addReused(taskId);
		else if (plan.cancelsOnStop && !hasEnded(task)) cancelTaskOnStop(taskId, run);
		const what = `${isNew ? 'submitted' : 'found'} ${taskId}`;
		const where = `${plan.spec.id}, item ${plan.index}`;
		run.context.logger.info(`Generation Gateway: ${what} (${where})`);
		return this.observe(task);
	}

	/** See TaskObserver. */
	observe(task: Task): string | undefined {
		return this.observer.observe(task);
	}

	/** To be called before the item leaves: a task that another worker has made with the same key is counted as reused. */
	async confirm({ taskId }: Task): Promise<void> {
		const { plan, run } = this;
		if (!this.claim || (await this.claim.confirm())) return;
		this.observer.isReused = true;
		run.record.drop(taskId);
		run.summary.addReused(taskId);
		run.budget.dropPaid(plan.reservation);
	}

	/** An earlier task of the key has ended without a result. Throws when a new one would pass a limit. */
	retired(task: Task): void {
		const { plan, run } = this;
		run.record.update(task);
		const problem = run.budget.replace(plan.reservation, plan.estimate);
		if (problem) throw problem;
	}

	/** The row ended without an answer about its task. What may have been made still counts. */
	fail(error: unknown): void {
		const { plan, run } = this;
		const { mayExist, isUnclear, taskId } = plan.reservation.charge;
		// An earlier try of the row has made a task, or may have, whatever this one was answered.
		if (mayExist && !this.isKnown) {
			withDetails(error, {
				billed: undefined,
				...(taskId !== undefined && { task_id: taskId }),
				...(isUnclear && { may_have_executed: true }),
			});
			const isOwn = taskId !== undefined && run.record.observerOf(taskId) !== undefined;
			if (isOwn && isStopped(run) && plan.cancelsOnStop) cancelTaskOnStop(taskId, run);
		}
		if (mayHaveMade(error)) return run.budget.keep(plan.reservation);
		run.budget.release(plan.reservation);
		if (hasMadeNothing(error) && !mayExist) run.rows.forget(plan.index);
	}

	/** Nothing more will be heard of the task in this run. */
	close(): void {
		this.run.budget.close(this.plan.reservation);
	}
}
