import { usdToQuota } from '../../catalog/pricing';
import { quotaToUsd } from '../../catalog/quota';
import { GatewayError } from '../../gateway/errors';

/** A task without a stated price that went on before its cost was known. */
export interface Unsettled {
	isKnown: boolean;
	taskId?: string;
}

export const usd = (quota: number) => `$${quotaToUsd(quota)}`;
export const limitError = (problem: string) => new GatewayError('cost_limit_exceeded', problem);

/** What tasks have cost together, in quota, as far as it is known. */
export class Spend {
	total = 0;
	unsettled: Unsettled | undefined;
	/** Ends when what the tasks without a price have cost so far is known. */
	private lock: Promise<void> = Promise.resolve();

	/** `limitName` as users know it; `where` says what is counted, e.g. "in this execution". */
	constructor(
		private readonly limitName: string,
		private readonly where: string,
	) {}

	/** Why a task must not be sent, of which `counted` is in the total already. `what` says how much it is. */
	findExcess(quota: number, counted: number, limit: number, what: string): string | undefined {
		const spent = this.total - counted;
		if (spent + quota <= usdToQuota(limit)) return undefined;
		return `The task ${what} on top of ${usd(spent)} ${this.where}, but ${this.limitName} is $${limit}`;
	}

	/**
	 * Waits for the lock: tasks without any price go one after another, since what one has cost decides
	 * about the next. `onQueued` gets what releases it. Throws when the limit is reached.
	 */
	async acquire(limit: number, onQueued: (release: () => void) => void): Promise<void> {
		const before = this.lock;
		this.lock = new Promise((resolve) => onQueued(resolve));
		await before;
		if (this.unsettled && !this.unsettled.isKnown)
			throw new GatewayError(
				'unknown_price',
				`No price is stated for this task, and what ${this.unsettled.taskId ?? 'the task before it'} costs is not known yet, so ${this.limitName} cannot be kept`,
				{ hint: 'Nothing was sent. Let the node wait for its tasks, or remove the limit.' },
			);
		if (this.total >= usdToQuota(limit))
			throw limitError(
				`The task has no stated price, and ${usd(this.total)} are spent ${this.where}, but ${this.limitName} is $${limit}`,
			);
	}
}
