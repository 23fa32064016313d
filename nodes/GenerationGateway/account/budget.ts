import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { usdToQuota, type CostEstimate } from '../../catalog/pricing';
import { quotaToUsd } from '../../catalog/quota';
import { GatewayError } from '../../gateway/errors';
import { endedWithoutResult } from '../../gateway/tasks/submitTask';
import { hasEnded, readCharge, type Task } from '../../gateway/tasks/schema';

/** The user's limits, in USD; undefined where none is set. */
export interface CostLimits {
	perItem?: number;
	perExecution?: number;
	/** Tasks without a stated price are sent all the same. */
	sendsUnpriced: boolean;
}

/** What the task of one key counts for. Rows that share a task by its key share its charge. */
interface Charge {
	/** Of the key. */
	id: string;
	/** The estimate, then the hold, then what was settled. */
	quota: number;
	/** Where the price is not stated it is known once the gateway holds or settles something. */
	isKnown: boolean;
	/** A task was made, or may have been. */
	mayExist: boolean;
	/** A reply of this execution was lost that may have made it. */
	isUnclear?: boolean;
	/** It is of the execution that this one retries, which may have gone on to a successor of the key. */
	isCarried?: boolean;
	/** Its task has ended without a result, and the next one of the key is asked for. */
	isReplaced?: boolean;
	/** Which of the row's models is asked: 0 for the first, then its fallbacks. */
	candidate: number;
	/** Rows that have reserved it and may still send it. */
	holders: number;
	taskId?: string;
	admission?: Promise<void>;
	/** Ends the turn of a task without a price. */
	endTurn?: () => void;
}

/** The share of a row in the budget. */
export interface Reservation {
	charge: Charge;
	limits: CostLimits;
}

const hasLimit = ({ perItem, perExecution }: CostLimits): boolean =>
	perItem !== undefined || perExecution !== undefined;

/** What n8n keeps with the execution, also over a suspension and a Retry: quota and candidate of each task that was sent, by its key. */
type Stored = Record<string, [quota: number, candidate: number]>;
const CHARGES = 'generationGatewayBudget';
const idOf = (key: string) => createHash('sha256').update(key).digest('base64').slice(0, 12);
const usd = (quota: number) => `$${quotaToUsd(quota)}`;
const limitError = (problem: string) => new GatewayError('cost_limit_exceeded', problem);

/** The money of one node in one execution: the estimate before sending, the hold while a task runs, the settled cost after. */
export class Budget {
	private static readonly ofNodes = new WeakMap<IDataObject, Budget>();

	/** `context` is what n8n keeps for the node with the execution. */
	static of(context: IDataObject): Budget {
		const budget = Budget.ofNodes.get(context) ?? new Budget(context);
		Budget.ofNodes.set(context, budget);
		return budget;
	}

	private readonly charges = new Map<string, Charge>();
	private total = 0;
	/** Ends when what the tasks without a price have cost so far is known. */
	private turn: Promise<void> = Promise.resolve();
	/** A task without a price that went on before its cost was known. */
	private unsettled: Charge | undefined;

	private readonly stored: Stored;

	private constructor(context: IDataObject) {
		this.stored = (context[CHARGES] ??= {}) as never as Stored;
		for (const [id, [quota, candidate]] of Object.entries(this.stored)) {
			const more = { isKnown: quota > 0, mayExist: true, isCarried: true, holders: 0 };
			this.charges.set(id, { id, quota, candidate, ...more });
			this.total += quota;
		}
	}

	/**
	 * Reserves the estimate of an item, in item order, before anything is sent. Gives the reason why it
	 * must not be sent when a limit would be passed, or cannot be kept because no price is stated. A key
	 * whose task may exist already, by another row, an earlier try or the execution that is retried,
	 * counts once. `isDryRun`: nothing will be sent.
	 */
	reserve(
		estimate: CostEstimate,
		limits: CostLimits,
		{ key, isDryRun = false }: { key: string; isDryRun?: boolean },
	): Reservation | GatewayError {
		const id = idOf(key);
		const known = this.charges.get(id);
		const unmade = { isKnown: false, mayExist: false, candidate: 0, holders: 0 };
		const charge = known ?? { id, quota: 0, ...unmade };
		if (!known) {
			const problem = this.estimate(charge, estimate, limits);
			if (problem) return problem;
			if (!isDryRun) this.charges.set(id, charge);
		}
		if (isDryRun) this.set(charge, known?.quota ?? 0);
		else charge.holders += 1;
		return { charge, limits };
	}

	/** A row is tried again that has kept its reservation, unless that was released meanwhile. */
	reclaim(reservation: Reservation, estimate: CostEstimate): GatewayError | undefined {
		const known = this.charges.get(reservation.charge.id);
		if (!known) return this.renew(reservation, estimate);
		reservation.charge = known;
		return undefined;
	}

	/**
	 * A further task is asked for instead of one that was not made or is not paid; `isNextModel`: of
	 * another model. Gives the reason why it must not be sent.
	 */
	renew(
		{ charge, limits }: Reservation,
		estimate: CostEstimate,
		{ isNextModel = false } = {},
	): GatewayError | undefined {
		if (charge.holders > 1) return undefined;
		this.set(charge, 0);
		Object.assign(charge, { isKnown: false, mayExist: false, isUnclear: false, holders: 1 });
		delete charge.taskId;
		if (isNextModel) {
			charge.candidate += 1;
			delete charge.admission;
			delete charge.endTurn;
		}
		this.charges.set(charge.id, charge);
		const problem = this.estimate(charge, estimate, limits);
		if (problem) this.remove(charge);
		return problem;
	}

	/** An earlier task of the key has ended without a result. Gives the reason why the next one must not be sent. */
	replace(reservation: Reservation, estimate: CostEstimate): GatewayError | undefined {
		const { charge } = reservation;
		if (!charge.isCarried) return this.renew(reservation, estimate);
		charge.isReplaced = true;
		return this.findVeto(reservation, estimate);
	}

	/**
	 * Waits until the task may be sent. Under a limit for the execution, tasks without any price go one
	 * after another: what one has cost decides about the next.
	 */
	async admit({ charge, limits }: Reservation): Promise<void> {
		if (!charge.isKnown && limits.perExecution !== undefined)
			await (charge.admission ??= this.takeTurn(charge, limits.perExecution));
		this.stored[charge.id] = [charge.quota, charge.candidate];
	}

	/** Why a task must not be sent any more: others of the execution have cost more than was estimated. */
	findVeto({ charge, limits }: Reservation, estimate: CostEstimate): GatewayError | undefined {
		const isReplaced = charge.isCarried && charge.isReplaced;
		if (charge.mayExist && !isReplaced) return undefined;
		// A task that is replaced may have held less than the next one will.
		const least = isReplaced && 'quota' in estimate ? estimate.quota : 0;
		const quota = Math.max(charge.quota, least);
		const problem = this.findExcess(charge, quota, limits, `is estimated at ${usd(quota)}`);
		if (problem) return limitError(problem);
		this.set(charge, quota);
		return undefined;
	}

	/**
	 * Counts what a task holds, or has cost in the end. Gives the reason why a running task must be
	 * cancelled when it holds more than a limit allows.
	 */
	update({ charge, limits }: Reservation, task: Task): string | undefined {
		charge.taskId = task.taskId;
		charge.mayExist = !endedWithoutResult(task);
		if (charge.mayExist) charge.isReplaced = false;
		const quota = readCharge(task);
		if (quota === undefined) return undefined;
		this.set(charge, quota);
		charge.isKnown = true;
		charge.endTurn?.();
		if (!charge.mayExist && !quota) this.remove(charge);
		if (hasEnded(task)) return undefined;
		return this.findExcess(charge, quota, limits, `is held at ${usd(quota)} by the gateway`);
	}

	/** The task was paid before, for another execution. */
	dropPaid({ charge }: Reservation): undefined {
		this.set(charge, 0);
		charge.isKnown = true;
		charge.endTurn?.();
	}

	/** A row made nothing. What another row or an earlier try has made with the same key still counts. */
	release({ charge }: Reservation): void {
		charge.holders -= 1;
		if (charge.holders <= 0 && !charge.mayExist) this.remove(charge);
	}

	/** Whether the row has made a task is not known. */
	keep({ charge }: Reservation): void {
		charge.mayExist = true;
		charge.isUnclear = true;
	}

	/** Whether there may be a task after all: of another row with the key, or of the execution that is retried. */
	mayExist({ charge: { mayExist, holders, taskId } }: Reservation): boolean {
		const isWantedByOthers = taskId === undefined && holders > 0;
		return mayExist || isWantedByOthers;
	}

	/** Nothing more will be heard of the task of a row in this run. */
	close({ charge }: Reservation): void {
		if (!charge.endTurn) return;
		if (charge.mayExist && !charge.isKnown) this.unsettled = charge;
		charge.endTurn();
	}

	/** A run is over: what it has reserved and not sent does not count any more. */
	dropUnsent(reservations: readonly Reservation[]): void {
		for (const { charge } of reservations) if (!(charge.id in this.stored)) this.remove(charge);
	}

	private estimate(
		charge: Charge,
		estimate: CostEstimate,
		limits: CostLimits,
	): GatewayError | undefined {
		if ('unknown' in estimate)
			return limits.sendsUnpriced || !hasLimit(limits)
				? undefined
				: new GatewayError(
						'unknown_price',
						`No price is stated for this task (${estimate.unknown}), so the cost limit cannot be kept`,
					);
		const { quota } = estimate;
		const problem = this.findExcess(charge, quota, limits, `is estimated at ${usd(quota)}`);
		if (problem) return limitError(problem);
		this.set(charge, quota);
		charge.isKnown = true;
		return undefined;
	}

	private async takeTurn(charge: Charge, perExecution: number): Promise<void> {
		const before = this.turn;
		this.turn = new Promise((resolve) => (charge.endTurn = resolve));
		await before;
		if (this.unsettled && !this.unsettled.isKnown)
			throw new GatewayError(
				'unknown_price',
				`No price is stated for this task, and what ${this.unsettled.taskId ?? 'the task before it'} costs is not known yet, so Cost Limit per Execution cannot be kept`,
				{ hint: 'Nothing was sent. Let the node wait for its tasks, or remove the limit.' },
			);
		if (this.total >= usdToQuota(perExecution))
			throw limitError(
				`The task has no stated price, and ${usd(this.total)} are spent in this execution, but Cost Limit per Execution is $${perExecution}`,
			);
	}

	private set(charge: Charge, quota: number): void {
		this.total += quota - charge.quota;
		charge.quota = quota;
		const stored = this.stored[charge.id];
		if (stored) stored[0] = quota;
	}

	private remove(charge: Charge): void {
		this.set(charge, 0);
		this.charges.delete(charge.id);
		delete this.stored[charge.id];
	}

	private findExcess(
		charge: Charge,
		quota: number,
		{ perItem, perExecution }: CostLimits,
		what: string,
	): string | undefined {
		if (perItem !== undefined && quota > usdToQuota(perItem))
			return `The task ${what}, but Cost Limit per Item is $${perItem}`;
		const spent = this.total - charge.quota;
		if (perExecution !== undefined && spent + quota > usdToQuota(perExecution))
			return `The task ${what} on top of ${usd(spent)} in this execution, but Cost Limit per Execution is $${perExecution}`;
		return undefined;
	}
}
