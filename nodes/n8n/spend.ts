import { formatQuota, formatUsd, usdToQuota } from '../catalog/pricing';
import { raceAbort } from '../gateway/delay';
import { GatewayError } from '../gateway/errors';

/** A task without a stated price that went on before its cost was known. */
export interface Unsettled {
	isKnown: boolean;
	taskId?: string;
}

export const limitError = (problem: string) => new GatewayError('cost_limit_exceeded', problem);

/** What tasks have cost together, in quota. */
export class Spend {
	total = 0;
	unsettled: Unsettled | undefined;
	/** Resolves when the cost of the tasks without a price is known. */
	private lock: Promise<unknown> = Promise.resolve();

	/** `limitName` is the label of the limit. `where` is e.g. "in this execution". */
	constructor(
		readonly limitName: string,
		private readonly where: string,
	) {}

	/** Returns why a task must not be sent. `counted` is its part of the total. `what` tells its price. */
	findExcess(quota: number, counted: number, limit: number, what: string): string | undefined {
		const spent = this.total - counted;
		if (spent + quota <= usdToQuota(limit)) return undefined;
		const before =
			spent > 0 ? ` on top of ${formatQuota(spent)} spent or planned ${this.where}` : '';
		return `${what}${before}, but ${this.limitName} is ${formatUsd(limit)}`;
	}

	/**
	 * Acquires the lock: tasks without a price go one after another, since the cost of one decides about the
	 * next. `counted` is its part of the total. `onQueued` gets the release. Throws when the limit is reached,
	 * and when the user stops the execution.
	 */
	async acquire(
		limit: number,
		counted: number,
		noun: string,
		onQueued: (release: () => void) => void,
		signal: AbortSignal | undefined,
	): Promise<void> {
		const before = this.lock;
		const released = new Promise<void>((resolve) => onQueued(resolve));
		// A row that is stopped while it waits must not let the next one pass the one before.
		this.lock = Promise.all([before, released]);
		await raceAbort(before, signal);
		if (this.unsettled && !this.unsettled.isKnown)
			throw new GatewayError(
				'unknown_price',
				`No price is stated for this ${noun}, and what ${this.unsettled.taskId ?? 'the one before it'} costs is not known yet, so ${this.limitName} cannot be kept`,
				{ hint: 'Nothing was sent. Let the node wait for its tasks, or remove the limit.' },
			);
		const spent = this.total - counted;
		if (spent >= usdToQuota(limit))
			throw limitError(
				`The ${noun} has no stated price, and ${formatQuota(spent)} are spent ${this.where}, but ${this.limitName} is ${formatUsd(limit)}`,
			);
	}
}
