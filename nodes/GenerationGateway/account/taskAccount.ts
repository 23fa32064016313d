import { GatewayError, stoppedError, withDetails } from '../../gateway/errors';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import type { Run } from '../operation';
import { cancelTaskOnStop, isStopped } from '../tasks/cancelOnStop';
import type { TaskPlan } from '../tasks/taskPlan';
import { mayExist } from './charge';
import { claimTask, type ConfirmClaim } from './taskClaim';
import { createTaskObserver } from './taskObserver';

/**
 * The account of one row's task, from before it is sent until its end. It tells the budget, the record of the
 * execution, the summary, the memory of rows and the keys what has happened.
 */
export class TaskAccount {
	/** Its ID is known. */
	private isKnown = false;
	/** The request of this row has made it. */
	isMaker = false;
	/** An earlier try may have made it. */
	private wasUnclear = false;
	private confirmClaim?: ConfirmClaim;
	private readonly observer: ReturnType<typeof createTaskObserver>;

	constructor(
		readonly plan: TaskPlan,
		readonly run: Run,
	) {
		this.observer = createTaskObserver(plan, run);
	}

	/** Another execution has paid the task. */
	get isReused(): boolean {
		return this.observer.isReused;
	}

	/**
	 * Whether the user's stop cancels the task: not where another execution may wait for it. A key that is not shared
	 * is that of the retried execution, too, which has ended.
	 */
	isCancelledOnStop(taskId: string): boolean {
		const { cancelsOnStop, key } = this.plan;
		const mayBeOfOthers = this.isReused || this.run.record.isEarlier(taskId);
		return cancelsOnStop && !(key.spansExecutions && mayBeOfOthers);
	}

	/** The charge is about this row's key. Another row with the key may have gone on to the next model. */
	private get isOfKey(): boolean {
		return this.run.budget.isSent(this.plan.reservation, this.plan.key.key);
	}

	/** Waits until the row may be sent. From now on Retry On Fail finds its task. */
	async open(): Promise<void> {
		const { plan, run } = this;
		const { key } = plan.key;
		const { charge } = plan.reservation;
		this.wasUnclear = charge.task === 'unclear';
		const isRetired = plan.retiredKeys.isRetired(key, charge.taskId);
		if (isRetired && charge.task === 'made') charge.task = 'none';
		await run.budget.admit(plan.reservation, key, run.client.context.signal);
		run.record.begin();
		run.rows.keepPlan(plan);
	}

	/**
	 * The gateway has answered the submission. `isRepeat`: an earlier attempt may have made the task. `isOlder`: it
	 * was made before this request. Returns why it must be cancelled: it holds more than a limit allows.
	 */
	submitted(task: Task, isRepeat: boolean, isOlder = false): string | undefined {
		const { plan, run } = this;
		const { taskId } = task;
		this.isKnown = true;
		const { charge } = plan.reservation;
		// Another row with the key may have made it, too.
		const mayBeOwn = isRepeat || charge.task === 'unclear' || charge.holders > 1;
		const isCarried = charge.maker !== 'own' && charge.taskId === taskId;
		const { spansExecutions } = plan.key;
		const known = { spansExecutions, isRepeat: mayBeOwn, isCarried };
		this.observer.isReused = run.record.isOlder(task, known);
		if (!this.isReused) run.budget.adopt(plan.reservation, task, plan.estimate);
		const isEarlier = isOlder && !this.wasUnclear;
		const isNew = !this.isReused && run.record.add(task, this.observer, isEarlier);
		this.isMaker = isNew && !isEarlier;
		if (isNew) run.summary.addSubmitted(task, run.coordinator.known.get(task.model ?? ''));
		if (!this.isReused && spansExecutions)
			this.confirmClaim = run.share(`claim ${taskId}`, () => claimTask(run.context, taskId));
		if (this.isReused) run.summary.reusedIds.add(taskId);
		if (hasEnded(task)) run.openTasks.delete(taskId);
		else if (this.isCancelledOnStop(taskId)) cancelTaskOnStop(taskId, run, this.confirmClaim);
		const what = `${isNew ? 'submitted' : 'found'} ${taskId}`;
		const where = `${plan.spec.id}, item ${plan.index}`;
		run.context.logger.info(`Generation Gateway: ${what} (${where})`);
		return this.observe(task);
	}

	/** See taskObserver.ts. */
	observe(task: Task): string | undefined {
		return this.observer.observe(task);
	}

	/** To be called before the item is returned. A task that another worker made with the same key counts as reused. */
	async confirm(task: Task): Promise<void> {
		const { plan, run } = this;
		if (!this.confirmClaim || (await this.confirmClaim())) return;
		this.observer.isReused = true;
		run.record.drop(task.taskId);
		run.summary.reusedIds.add(task.taskId);
		run.budget.dropPaid(plan.reservation, task);
	}

	/** An earlier task of the key ended without a result. Throws when a new one must not be sent. */
	retired(task: Task): void {
		const { plan, run } = this;
		run.record.update(task);
		run.budget.found(plan.reservation, task);
		// The row counts a later task of the key.
		const { taskId = task.taskId } = plan.reservation.charge;
		if (taskId !== task.taskId) return;
		// Nothing more is sent, so nothing is reserved.
		if (isStopped(run)) throw stoppedError().addDetails({ billed: 0 });
		run.budget.replace(plan.reservation, plan.estimate);
	}

	/** The row has failed. What may have been made still counts. Gives the error with what is known of the task. */
	fail(error: unknown): unknown {
		const { plan, run } = this;
		const { charge } = plan.reservation;
		const { taskId } = charge;
		// An earlier try of the row has made a task, or may have.
		if (this.isOfKey && mayExist(charge) && charge.maker !== 'other' && !this.isKnown) {
			withDetails(error, {
				billed: undefined,
				...(taskId !== undefined && { task_id: taskId }),
				...(charge.task === 'unclear' && { may_have_executed: true }),
			});
			const isOpen = taskId !== undefined && run.record.isOpen(taskId);
			if (isOpen && isStopped(run) && this.isCancelledOnStop(taskId)) cancelTaskOnStop(taskId, run);
		}
		// Where the error is not the gateway's, nobody knows.
		const { details } = error instanceof GatewayError ? error : {};
		if (!details || details.may_have_executed) run.budget.keep(plan.reservation);
		else {
			run.budget.release(plan.reservation);
			if (details.billed === 0 && !mayExist(charge)) run.rows.forget(plan.index);
		}
		return error;
	}

	/** No more news of the task in this run. */
	close(): void {
		if (this.isOfKey) this.run.budget.close(this.plan.reservation);
	}
}
