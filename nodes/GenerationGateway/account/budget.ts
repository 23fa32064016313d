import type { IDataObject } from 'n8n-workflow';
import { usdToQuota, type CostEstimate } from '../../catalog/pricing';
import { quotaToUsd } from '../../catalog/quota';
import { GatewayError } from '../../gateway/errors';
import type { Task } from '../../gateway/tasks/schema';

/** The user's limits, in USD; undefined where none is set. */
export interface CostLimits {
	perItem?: number;
	perExecution?: number;
	/** Tasks without a stated price are sent all the same. */
	sendsUnpriced: boolean;
}

/** What one submission may cost, in quota, as long as it is under way. */
export interface Reservation {
	quota: number;
	limits: CostLimits;
	/** All requests under this key share one task. */
	key?: string;
	/** Another request of the execution is counted for the task. */
	isShared?: true;
}

/** Whether anything is counted for a submission. */
export const hasLimit = ({ limits: { perItem, perExecution } }: Pick<Reservation, 'limits'>) =>
	perItem !== undefined || perExecution !== undefined;

/** What n8n keeps with the execution, also over a suspension: the quota of each run of the node, by its index. */
type Account = Record<string, number>;
/** The keys that are counted in it, in the same way. */
type CountedKeys = Record<string, string[]>;

const ACCOUNT = 'generationGatewayBudget';
const COUNTED_KEYS = 'generationGatewayBudgetKeys';
const usd = (quota: number) => `$${quotaToUsd(quota)}`;

/** The money of one node in one execution: reserved before sending, corrected by what the gateway holds. */
export class RunBudget {
	private readonly account: Account;
	private readonly countedKeys: CountedKeys;

	/** `stored` is what n8n keeps for the node with the execution. A retry of a run begins it anew: its tasks are the same. */
	constructor(
		stored: IDataObject,
		private readonly runIndex: number,
	) {
		this.account = (stored[ACCOUNT] ??= {}) as Account;
		this.account[runIndex] = 0;
		this.countedKeys = (stored[COUNTED_KEYS] ??= {}) as CountedKeys;
		this.countedKeys[runIndex] = [];
	}

	private add(quota: number): void {
		this.account[this.runIndex]! += quota;
	}

	/**
	 * Reserves the estimate of an item, in item order, before anything is sent. Gives the reason why it
	 * must not be sent when a limit would be passed, or cannot be kept because no price is stated. A
	 * `key` that several requests have is counted once: the gateway gives them one task.
	 */
	reserve(estimate: CostEstimate, limits: CostLimits, key?: string): Reservation | GatewayError {
		const { sendsUnpriced } = limits;
		if (!hasLimit({ limits })) return { quota: 0, limits };
		if (this.isCounted(key)) return { quota: 0, limits, key, isShared: true };
		if ('unknown' in estimate && !sendsUnpriced)
			return new GatewayError(
				'unknown_price',
				`No price is stated for this task (${estimate.unknown}), so the cost limit cannot be kept`,
			);
		// Without a price, what the gateway holds counts as soon as it is known.
		const quota = 'unknown' in estimate ? 0 : estimate.quota;
		const problem = this.findExcess(quota, limits, `is estimated at ${usd(quota)}`);
		if (problem) return new GatewayError('cost_limit_exceeded', problem);
		this.add(quota);
		if (key !== undefined) this.countedKeys[this.runIndex]!.push(key);
		return { quota, limits, key };
	}

	private isCounted(key: string | undefined): boolean {
		return key !== undefined && Object.values(this.countedKeys).some((keys) => keys.includes(key));
	}

	/**
	 * Puts what the gateway holds in the place of the estimate. Gives the reason why the task must be
	 * cancelled when the hold is above a limit.
	 */
	correct(reservation: Reservation, { held, cost }: Task): string | undefined {
		const actual = cost ?? held;
		if (actual === undefined || !hasLimit(reservation)) return undefined;
		if (reservation.isShared && this.isCounted(reservation.key)) return undefined;
		const { key } = reservation;
		this.release(reservation);
		const problem = this.findExcess(
			actual,
			reservation.limits,
			`is held at ${usd(actual)} by the gateway`,
		);
		if (problem) return problem;
		this.add((reservation.quota = actual));
		if (key !== undefined) this.countedKeys[this.runIndex]!.push((reservation.key = key));
		return undefined;
	}

	/** Counts a task that an earlier try of this execution has made: it is paid, so no limit ends it now. */
	count(reservation: Reservation, { held, cost }: Task): void {
		const actual = cost ?? held;
		if (actual === undefined || !hasLimit(reservation) || reservation.isShared) return;
		this.add(actual - reservation.quota);
		reservation.quota = actual;
	}

	/** Nothing is billed for a reservation: its task failed, was cancelled, or was paid before. */
	release(reservation: Reservation): void {
		if (reservation.isShared && this.isCounted(reservation.key)) return;
		this.add(-reservation.quota);
		reservation.quota = 0;
		const keys = this.countedKeys[this.runIndex]!;
		this.countedKeys[this.runIndex] = keys.filter((key) => key !== reservation.key);
		delete reservation.key;
	}

	private findExcess(
		quota: number,
		{ perItem, perExecution }: CostLimits,
		what: string,
	): string | undefined {
		if (perItem !== undefined && quota > usdToQuota(perItem))
			return `The task ${what}, but Max Cost per Item is $${perItem}`;
		const spent = Object.values(this.account).reduce((sum, ofRun) => sum + ofRun, 0);
		if (perExecution !== undefined && spent + quota > usdToQuota(perExecution))
			return `The task ${what} on top of ${usd(spent)} in this execution, but Max Cost per Execution is $${perExecution}`;
		return undefined;
	}
}
