import type { IDataObject } from 'n8n-workflow';
import type { CostEstimate } from '../../catalog/pricing';
import { GatewayError } from '../../gateway/errors';
import { endedWithoutResult } from '../../gateway/tasks/submitTask';
import { hasEnded, readCharge, type Task } from '../../gateway/tasks/schema';
import { mayExist, type CostLimits, type Reservation } from './charge';
import { Charges } from './charges';
import { CheckedRows, findExcess, findPassed, hasLimit } from './limitChecks';
import { DailySpend } from '../../n8n/dailySpend';
import { limitError } from '../../n8n/spend';

/**
 * The money of one node in one execution: the estimate before sending, the hold while a task runs, then the
 * settled cost.
 */
export class Budget {
	private static readonly ofNodes = new WeakMap<IDataObject, Budget>();

	/** `context` is what n8n keeps for the node with the execution. */
	static of(context: IDataObject): Budget {
		const budget = Budget.ofNodes.get(context) ?? new Budget(new Charges(context));
		Budget.ofNodes.set(context, budget);
		return budget;
	}

	readonly checkedRows: CheckedRows;

	private constructor(private readonly charges: Charges) {
		this.checkedRows = new CheckedRows(charges);
	}

	/**
	 * Reserves the estimate of an item, before anything is sent. Throws why it must not be sent: a limit would be
	 * passed, or no price is stated. `keys`: of its models, the chosen one first. A key counts once, also when
	 * another row, an earlier try or the retried execution has it. `account` is a hash; with `isDryRun` nothing
	 * will be sent.
	 */
	reserve(
		estimate: CostEstimate,
		limits: CostLimits,
		{ keys, account, isDryRun = false }: { keys: string[]; account?: string; isDryRun?: boolean },
	): Reservation {
		const charge = this.charges.find(keys);
		charge.account ??= account;
		const reservation = { charge, limits };
		if (!this.charges.current(charge)) {
			const problem = this.estimate(reservation, estimate);
			if (problem) throw problem;
			if (isDryRun) this.charges.remove(charge);
			else this.charges.add(charge);
		}
		if (!isDryRun) charge.holders += 1;
		return reservation;
	}

	/** Whether the row's task was last sent with this key: each fallback model has its own. */
	isSent({ charge }: Reservation, key: string): boolean {
		return this.charges.isSent(charge, key);
	}

	/** A row that is tried again keeps its reservation, unless it was released. */
	reclaim(reservation: Reservation, estimate: CostEstimate): void {
		const known = this.charges.current(reservation.charge);
		if (known) reservation.charge = known;
		else this.renew(reservation, estimate);
	}

	/**
	 * Reserves a further task, because the one before was not made or is not paid. `isNextModel`: of another
	 * model. Throws why it must not be sent.
	 */
	renew(reservation: Reservation, estimate: CostEstimate, { isNextModel = false } = {}): void {
		const { charge } = reservation;
		// Its hold was released with the model before.
		if (isNextModel) charge.holders += 1;
		// It may have been removed, as its task was not paid.
		this.charges.add(charge);
		if (charge.holders > 1) return;
		this.charges.clear(charge);
		Object.assign(charge, { isKnown: false, task: 'none', holders: 1 });
		delete charge.taskId;
		delete charge.sentAt;
		if (charge.maker === 'other') charge.maker = 'own';
		const problem = this.estimate(reservation, estimate);
		if (!problem) return;
		this.charges.remove(charge);
		throw problem;
	}

	/** An earlier task of the key has ended without a result. Throws why the next one must not be sent. */
	replace(reservation: Reservation, estimate: CostEstimate): void {
		const { charge } = reservation;
		charge.task = 'none';
		if (charge.maker !== 'retried') return this.renew(reservation, estimate);
		delete charge.taskId;
		delete charge.sentAt;
		const veto = this.findVeto(reservation, estimate);
		if (veto) throw veto;
	}

	/**
	 * Waits until the task may be sent. Under a limit for execution or day, tasks without a price go one after
	 * another.
	 */
	async admit(reservation: Reservation, key: string, signal?: AbortSignal): Promise<void> {
		const { charge } = reservation;
		// From now on no row releases the lock of the key before.
		if (!this.isSent(reservation, key)) {
			charge.releaseLock?.();
			delete charge.admission;
			delete charge.releaseLock;
		}
		this.charges.use(charge, key);
		if (!charge.isKnown) await (charge.admission ??= this.acquire(reservation, signal));
		this.charges.store(charge);
	}

	/** Returns why a task must not be sent any more: others have cost more than estimated. */
	findVeto(reservation: Reservation, estimate: CostEstimate): GatewayError | undefined {
		const { charge } = reservation;
		if (mayExist(charge)) return undefined;
		// The task before it may have held less.
		const least = 'quota' in estimate ? estimate.quota : 0;
		const quota = Math.max(charge.quota, least);
		const problem = findExcess(this.charges, reservation, quota);
		if (problem) return limitError(problem);
		this.charges.set(charge, quota);
		return undefined;
	}

	/**
	 * Counts what a task holds or has cost. Returns why a running task must be cancelled: it holds more than a
	 * limit allows. A task of another execution is not `isCancellable`.
	 */
	update(reservation: Reservation, task: Task, { isCancellable = true } = {}): string | undefined {
		const { charge } = reservation;
		this.charges.attach(charge, task.taskId);
		DailySpend.update(task);
		charge.task = endedWithoutResult(task) ? 'none' : 'made';
		const quota = readCharge(task);
		if (quota === undefined) return undefined;
		this.charges.set(charge, quota);
		charge.isKnown = true;
		if (charge.task === 'none' && !quota) this.charges.remove(charge);
		const mayCancel = isCancellable && !hasEnded(task);
		const excess = mayCancel
			? findExcess(this.charges, reservation, quota, { isHeld: true })
			: undefined;
		// Until it is cancelled, others without a price wait.
		if (!excess) charge.releaseLock?.();
		return excess;
	}

	/** The row has this task. Where the retried execution had another one, e.g. with another API key, both are paid. */
	adopt({ charge }: Reservation, { taskId }: Task, estimate: CostEstimate): void {
		const { maker, taskId: former = taskId } = charge;
		charge.maker = 'own';
		if (maker !== 'retried' || former === taskId) return;
		this.charges.split(charge);
		if ('quota' in estimate) this.charges.set(charge, estimate.quota);
	}

	/** The response to a submission. It may be about the task of another execution. */
	found({ charge: { account, sentId } }: Reservation, task: Task): void {
		if (account !== undefined) DailySpend.today(account).found(sentId, task);
	}

	/** Another execution has paid the task. */
	dropPaid({ charge }: Reservation, task: Task): void {
		this.charges.leave(charge, task.taskId);
		charge.task = endedWithoutResult(task) ? 'none' : 'made';
		charge.isKnown = true;
		charge.releaseLock?.();
	}

	/** The row made nothing. Tasks of other rows or earlier tries with the key still count. */
	release({ charge }: Reservation): void {
		charge.holders -= 1;
		if (charge.holders <= 0 && !mayExist(charge)) this.charges.remove(charge);
	}

	/** The row may have made a task. */
	keep({ charge }: Reservation): void {
		charge.task = 'unclear';
	}

	/**
	 * Whether there may be a task of the key after all, of another row or of the retried execution. `isRefused`: the
	 * gateway refuses the request for good, also that of the others.
	 */
	mayExist(reservation: Reservation, key: string, isRefused: boolean): boolean {
		const { charge } = reservation;
		const isWantedByOthers = charge.taskId === undefined && charge.holders > 0 && !isRefused;
		return this.isSent(reservation, key) && (mayExist(charge) || isWantedByOthers);
	}

	/** A request by usage has cost this much. Undefined: nobody will know, so the estimate counts, if there is one. */
	settle({ charge }: Reservation, quota: number | undefined): void {
		charge.task = 'made';
		charge.isKnown = true;
		if (quota !== undefined) this.charges.set(charge, quota);
		charge.releaseLock?.();
	}

	/** No more news of the task in this run. */
	close({ charge }: Reservation): void {
		if (!charge.releaseLock) return;
		if (mayExist(charge) && !charge.isKnown) this.charges.leaveUnsettled(charge);
		charge.releaseLock();
	}

	/** The limits that are passed after a run, e.g. because its requests cost more than was estimated. */
	findPassed(reservations: readonly Reservation[]): Set<string> {
		return findPassed(this.charges, reservations);
	}

	/** After a run. What was reserved and not sent does not count any more. */
	dropUnsent(reservations: readonly Reservation[]): void {
		for (const { charge } of reservations)
			if (!this.charges.isStored(charge)) this.charges.remove(charge);
	}

	private estimate(reservation: Reservation, estimate: CostEstimate): GatewayError | undefined {
		const { charge, limits } = reservation;
		const isKnown = 'quota' in estimate;
		if (!isKnown && !limits.sendsUnpriced && hasLimit(limits))
			return new GatewayError(
				'unknown_price',
				`The price of this ${limits.noun} is not known, so the cost limit cannot be kept (${estimate.unknown})`,
			);
		const known = isKnown ? estimate : estimate.atLeast;
		if (!known) return undefined;
		const problem = findExcess(this.charges, reservation, known.quota);
		if (problem) return limitError(problem);
		this.charges.set(charge, known.quota);
		charge.isKnown = isKnown;
		return undefined;
	}

	private async acquire(reservation: Reservation, signal?: AbortSignal): Promise<void> {
		const { charge, limits } = reservation;
		const onQueued = (release: () => void) => {
			const releaseOthers = charge.releaseLock;
			charge.releaseLock = () => (releaseOthers?.(), release());
		};
		for (const { spend, limit, counted } of this.charges.sharedLimits(reservation))
			await spend.acquire(limit, counted, limits.noun, onQueued, signal);
	}
}
