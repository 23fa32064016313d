import { formatQuota, formatUsd, usdToQuota, type CostEstimate } from '../../catalog/pricing';
import type { Spend } from '../../n8n/spend';
import type { CostLimits, Reservation } from './charge';
import type { Charges } from './charges';

export const hasLimit = ({ perItem, perExecution, perDay }: CostLimits): boolean =>
	[perItem, perExecution, perDay].some((limit) => limit !== undefined);

/** Why a task must not be sent, or not go on, at this price: a limit would be passed. */
export function findExcess(
	charges: Charges,
	reservation: Reservation,
	quota: number,
	{ isHeld = false } = {},
): string | undefined {
	const { perItem, noun } = reservation.limits;
	const amount = formatQuota(quota);
	const what = isHeld ? `is held at ${amount} by the gateway` : `is estimated at ${amount}`;
	const subject = `The ${noun} ${what}`;
	if (perItem !== undefined && quota > usdToQuota(perItem))
		return `${subject}, but Cost Limit per Item is ${formatUsd(perItem)}`;
	for (const { spend, limit, counted } of charges.sharedLimits(reservation)) {
		const problem = spend.findExcess(quota, counted, limit, subject);
		if (problem) return problem;
	}
	return undefined;
}

/** The limits that are passed after a run, e.g. because its requests cost more than was estimated. */
export function findPassed(charges: Charges, reservations: readonly Reservation[]): Set<string> {
	const counted = reservations.flatMap((reservation) => {
		const { charge, limits } = reservation;
		const shared = [...charges.sharedLimits(reservation)];
		return [
			{ name: 'Cost Limit per Item', limit: limits.perItem, quota: charge.quota },
			...shared.map(({ spend, limit }) => ({ name: spend.limitName, limit, quota: spend.total })),
		];
	});
	const passed = counted.flatMap(({ name, limit = Infinity, quota }) =>
		quota > usdToQuota(limit)
			? [`${name} is ${formatUsd(limit)}, but ${formatQuota(quota)} is spent or planned`]
			: [],
	);
	return new Set(passed);
}

/** Rows that are only checked. Each is within its limits. Together they may not be. */
export class CheckedRows {
	/** The hints of each row. */
	private readonly hints = new Map<string, string[]>();
	/** What they would cost, in quota by limit. */
	private readonly totals = new Map<Spend, number>();

	constructor(private readonly charges: Charges) {}

	/** Adds a row. Returns which limits it passes with the rows before it. */
	add(reservation: Reservation, estimate: CostEstimate): string[] {
		const { id } = reservation.charge;
		const known = this.hints.get(id);
		if (known || 'unknown' in estimate) return known ?? [];
		const shared = [...this.charges.sharedLimits(reservation)];
		const passed = shared.flatMap(({ spend, limit, counted }) => {
			const before = this.totals.get(spend) ?? 0;
			this.totals.set(spend, before + Math.max(0, estimate.quota - counted));
			const problem = spend.findExcess(estimate.quota, counted - before, limit, '');
			return problem ? [`${spend.limitName} (${formatUsd(limit)})`] : [];
		});
		const hints = passed.map(
			(limit) => `With the items before it, the total would pass ${limit}, so it would not be sent`,
		);
		this.hints.set(id, hints);
		return hints;
	}
}
