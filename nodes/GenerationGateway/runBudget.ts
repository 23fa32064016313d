import type { IDataObject } from 'n8n-workflow';
import { usdToQuota, type CostEstimate } from '../catalog/pricing';
import { quotaToUsd } from '../catalog/quota';
import { GatewayError } from '../gateway/errors';
import type { Task } from '../gateway/tasks/schema';

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
}

/** Whether anything is counted for a submission. */
export const hasLimit = ({ limits: { perItem, perExecution } }: Pick<Reservation, 'limits'>) =>
	perItem !== undefined || perExecution !== undefined;

/** What n8n keeps with the execution, in quota: also over the runs of a loop and a suspension. */
interface Account {
	runIndex: number;
	/** By earlier runs of the node in this execution. */
	before: number;
	/** By this run. A retry of the run begins it anew: its tasks are the same. */
	inRun: number;
}

const ACCOUNT = 'generationGatewayBudget';
const usd = (quota: number) => `$${quotaToUsd(quota)}`;

/** The money of one node in one execution: reserved before sending, corrected by what the gateway holds. */
export class RunBudget {
	private readonly account: Account;

	/** `stored` is what n8n keeps for the node with the execution. */
	constructor(stored: IDataObject, runIndex: number) {
		const known = stored[ACCOUNT] as Account | undefined;
		const isRetry = known?.runIndex === runIndex;
		const before = (known?.before ?? 0) + (known && !isRetry ? known.inRun : 0);
		this.account = { runIndex, before, inRun: 0 };
		stored[ACCOUNT] = this.account as unknown as IDataObject;
	}

	/**
	 * Reserves the estimate of an item, in item order, before anything is sent. Gives the reason why it
	 * must not be sent when a limit would be passed, or cannot be kept because no price is stated.
	 */
	reserve(estimate: CostEstimate, limits: CostLimits): Reservation | GatewayError {
		const { sendsUnpriced } = limits;
		if (!hasLimit({ limits })) return { quota: 0, limits };
		if ('unknown' in estimate)
			return sendsUnpriced
				? { quota: 0, limits }
				: new GatewayError(
						'unknown_price',
						`No price is stated for this task (${estimate.unknown}), so the cost limit cannot be kept`,
					);
		const { quota } = estimate;
		const problem = this.findExcess(quota, limits, `is estimated at ${usd(quota)}`);
		if (problem) return new GatewayError('cost_limit_exceeded', problem);
		this.account.inRun += quota;
		return { quota, limits };
	}

	/**
	 * Puts what the gateway holds in the place of the estimate. Gives the reason why the task must be
	 * cancelled when the hold is above a limit.
	 */
	correct(reservation: Reservation, { held, cost }: Task): string | undefined {
		const actual = cost ?? held;
		if (actual === undefined || !hasLimit(reservation)) return undefined;
		this.release(reservation);
		const problem = this.findExcess(
			actual,
			reservation.limits,
			`is held at ${usd(actual)} by the gateway`,
		);
		if (!problem) this.account.inRun += reservation.quota = actual;
		return problem;
	}

	/** Nothing is billed for a reservation: its task failed, was cancelled, or was paid before. */
	release(reservation: Reservation): void {
		this.account.inRun -= reservation.quota;
		reservation.quota = 0;
	}

	private findExcess(
		quota: number,
		{ perItem, perExecution }: CostLimits,
		what: string,
	): string | undefined {
		if (perItem !== undefined && quota > usdToQuota(perItem))
			return `The task ${what}, but Max Cost per Item is $${perItem}`;
		const spent = this.account.before + this.account.inRun;
		if (perExecution !== undefined && spent + quota > usdToQuota(perExecution))
			return `The task ${what} on top of ${usd(spent)} in this execution, but Max Cost per Execution is $${perExecution}`;
		return undefined;
	}
}
