import type { IDataObject } from 'n8n-workflow';
import { usdToQuota, type CostEstimate } from '../../catalog/pricing';
import { quotaToUsd } from '../../catalog/quota';
import { GatewayError } from '../../gateway/errors';
import { hasEnded, readCharge, type Task } from '../../gateway/tasks/schema';

/** The user's limits, in USD; undefined where none is set. */
export interface CostLimits {
	perItem?: number;
	perExecution?: number;
	/** Tasks without a stated price are sent all the same. */
	sendsUnpriced: boolean;
}

/** What one task counts for in the budget. Rows that share a task by its key share its charge. */
interface Charge {
	/** Run of the node that it counts for. */
	runIndex: number;
	key?: string;
	/** The estimate, then the hold, then what was settled. */
	quota: number;
	/** Where the price is not stated it is known once the gateway holds or settles something. */
	isKnown: boolean;
	/** Rows that have reserved it and may still send it. */
	holders: number;
	taskId?: string;
	admission?: Promise<void>;
	/** Ends the turn of a task without a price. */
	endTurn?: () => void;
}

/** The share of a row in the budget, for as long as its task may cost something. */
export interface Reservation {
	charge: Charge;
	limits: CostLimits;
}

export const hasLimit = ({ perItem, perExecution }: CostLimits): boolean =>
	perItem !== undefined || perExecution !== undefined;

/** What n8n keeps with the execution, also over a suspension: the quota of each run of the node, by its index. */
const COUNTED = 'generationGatewayBudget';
const usd = (quota: number) => `$${quotaToUsd(quota)}`;
const limitError = (problem: string) => new GatewayError('cost_limit_exceeded', problem);

/** The money of one node in one execution: the estimate before sending, the hold while a task runs, the settled cost after. */
export class Budget {
	private static readonly ofNodes = new WeakMap<IDataObject, Budget>();

	/** `stored` is what n8n keeps for the node with the execution. */
	static of(stored: IDataObject): Budget {
		const budget = Budget.ofNodes.get(stored) ?? new Budget(stored);
		Budget.ofNodes.set(stored, budget);
		return budget;
	}

	private readonly counted: Record<string, number>;
	private total: number;
	private readonly shared = new Map<string, Charge>();
	/** Ends when what the tasks without a price cost so far is known. */
	private turn: Promise<void> = Promise.resolve();
	/** A task without a price that went on before its cost was known. */
	private unsettled: Charge | undefined;

	private constructor(stored: IDataObject) {
		this.counted = (stored[COUNTED] ??= {}) as Record<string, number>;
		this.total = Object.values(this.counted).reduce((sum, quota) => sum + quota, 0);
	}

	/** A run of the node begins. When Retry On Fail begins it again, what its rows have kept still counts, and nothing else. */
	begin(runIndex: number, kept: readonly Reservation[]): void {
		if (this.counted[runIndex] === undefined) return;
		const charges = new Set(kept.map(({ charge }) => charge));
		for (const [key, charge] of this.shared)
			if (charge.runIndex === runIndex && !charges.has(charge)) this.shared.delete(key);
		const ofRun = [...charges].filter((charge) => charge.runIndex === runIndex);
		const quota = ofRun.reduce((sum, charge) => sum + charge.quota, 0);
		this.total += quota - this.counted[runIndex];
		this.counted[runIndex] = quota;
	}

	/**
	 * Reserves the estimate of an item, in item order, before anything is sent. Gives the reason why it
	 * must not be sent when a limit would be passed, or cannot be kept because no price is stated.
	 * Requests with one `key` get one task, so they count once. `isDryRun`: nothing will be sent.
	 */
	reserve(
		estimate: CostEstimate,
		limits: CostLimits,
		{ runIndex, key, isDryRun }: { runIndex: number; key?: string; isDryRun?: boolean },
	): Reservation | GatewayError {
		const shared = key === undefined ? undefined : this.shared.get(key);
		const charge = shared ?? { runIndex, key, quota: 0, isKnown: false, holders: 0 };
		const problem = shared ? undefined : this.charge(charge, estimate, limits, isDryRun);
		if (problem) return problem;
		charge.holders += 1;
		if (key !== undefined && hasLimit(limits) && !isDryRun) this.shared.set(key, charge);
		return { charge, limits };
	}

	/** Another model is asked instead of one that made no task, or none that is paid. */
	renew({ charge, limits }: Reservation, estimate: CostEstimate): GatewayError | undefined {
		if (charge.holders > 1) return undefined;
		this.set(charge, 0);
		const reset = { isKnown: false, taskId: undefined, admission: undefined, endTurn: undefined };
		Object.assign(charge, reset, { holders: 1 });
		if (charge.key !== undefined) this.shared.set(charge.key, charge);
		return this.charge(charge, estimate, limits);
	}

	/**
	 * Waits until the task may be sent. Under a limit for the execution, tasks without any price go one
	 * after another: what one has cost decides about the next.
	 */
	async admit({ charge, limits }: Reservation): Promise<void> {
		if (charge.isKnown || limits.perExecution === undefined) return;
		charge.admission ??= this.takeTurn(charge, limits.perExecution);
		await charge.admission;
	}

	/**
	 * Counts what a task holds, or has cost in the end. Gives the reason why a running task must be
	 * cancelled when it holds more than a limit allows.
	 */
	update({ charge, limits }: Reservation, task: Task): string | undefined {
		charge.taskId = task.taskId;
		if (!hasLimit(limits)) return undefined;
		const quota = readCharge(task);
		if (quota === undefined) return undefined;
		this.set(charge, quota);
		charge.isKnown = true;
		charge.endTurn?.();
		if (hasEnded(task)) return undefined;
		return this.findExcess(charge, quota, limits, `is held at ${usd(quota)} by the gateway`);
	}

	/** The task was paid before, for another execution. */
	dropPaid({ charge }: Reservation): undefined {
		this.set(charge, 0);
	}

	/** Nothing was made for a row. What is or may be made for another row with the same key still counts. */
	release({ charge }: Reservation): void {
		charge.holders -= 1;
		if (charge.holders > 0 || charge.taskId !== undefined) return;
		this.set(charge, 0);
		if (charge.key !== undefined) this.shared.delete(charge.key);
	}

	/** Nothing more will be heard of the task of a row in this run. */
	close({ charge }: Reservation): void {
		if (!charge.endTurn) return;
		if (charge.holders > 0 && !charge.isKnown) this.unsettled = charge;
		charge.endTurn();
	}

	private charge(
		charge: Charge,
		estimate: CostEstimate,
		limits: CostLimits,
		isDryRun = false,
	): GatewayError | undefined {
		if (!hasLimit(limits)) return undefined;
		if ('unknown' in estimate)
			return limits.sendsUnpriced
				? undefined
				: new GatewayError(
						'unknown_price',
						`No price is stated for this task (${estimate.unknown}), so the cost limit cannot be kept`,
					);
		const { quota } = estimate;
		const problem = this.findExcess(charge, quota, limits, `is estimated at ${usd(quota)}`);
		if (problem) return limitError(problem);
		charge.isKnown = true;
		if (!isDryRun) this.set(charge, quota);
		return undefined;
	}

	private async takeTurn(charge: Charge, perExecution: number): Promise<void> {
		const before = this.turn;
		this.turn = new Promise((resolve) => (charge.endTurn = resolve));
		await before;
		if (this.unsettled && !this.unsettled.isKnown)
			throw new GatewayError(
				'unknown_price',
				`No price is stated for this task, and what ${this.unsettled.taskId ?? 'the task before it'} costs is not known yet, so Max Cost per Execution cannot be kept`,
				{ hint: 'Nothing was sent. Let the node wait for its tasks, or remove the limit.' },
			);
		if (this.total >= usdToQuota(perExecution))
			throw limitError(
				`The task has no stated price, and ${usd(this.total)} are spent in this execution, but Max Cost per Execution is $${perExecution}`,
			);
	}

	private set(charge: Charge, quota: number): void {
		const more = quota - charge.quota;
		charge.quota = quota;
		this.total += more;
		this.counted[charge.runIndex] = (this.counted[charge.runIndex] ?? 0) + more;
	}

	private findExcess(
		charge: Charge,
		quota: number,
		{ perItem, perExecution }: CostLimits,
		what: string,
	): string | undefined {
		if (perItem !== undefined && quota > usdToQuota(perItem))
			return `The task ${what}, but Max Cost per Item is $${perItem}`;
		const spent = this.total - charge.quota;
		if (perExecution !== undefined && spent + quota > usdToQuota(perExecution))
			return `The task ${what} on top of ${usd(spent)} in this execution, but Max Cost per Execution is $${perExecution}`;
		return undefined;
	}
}
