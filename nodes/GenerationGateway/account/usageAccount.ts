import { randomUUID } from 'crypto';
import { findDearest } from '../../catalog/pricing';
import {
	priceUsage,
	readUsagePrice,
	type Usage,
	type UsagePrice,
} from '../../catalog/usagePricing';
import { GatewayError } from '../../gateway/errors';
import { listModels } from '../../gateway/models/api';
import type { ItemReader } from '../../n8n/itemReader';
import type { Run } from '../operation';
import { hasLimit } from './limitChecks';
import { readCostLimits } from './costOptions';
import type { PaidRow } from './rowMemory';

/**
 * Does the work when the budget allows it, and counts what it has cost: `cost` where the response states it,
 * otherwise the price of its usage. Gives the result with its cost in quota, as far as it is known.
 */
type SpendUsage = <T extends { model: string; cost?: number; usage: Usage; isStream?: boolean }>(
	work: () => Promise<T>,
) => Promise<T>;

/**
 * Reserves what one request for text or speech may cost at most, with the dearest of its models, by the gateway's
 * list of models. Returns what does the work and counts its cost. Throws when a limit would be passed, or no price
 * is stated. Without a cost limit nothing is asked or counted.
 */
export async function reserveUsage(
	item: ItemReader,
	run: Run,
	row: PaidRow,
	models: readonly string[],
	most: Usage,
): Promise<SpendUsage> {
	const limits = readCostLimits(item, 'request');
	// An earlier try has the answer, and has counted it.
	if (!hasLimit(limits) || row.outputs) return async (work) => await work();
	const shared = run.share('usagePrices', async () => {
		const listed = await listModels(run.client);
		return new Map(listed.map(({ id, priceConfig }) => [id, readUsagePrice(priceConfig)]));
	});
	// Without the list, no price is known.
	const prices = await shared.catch((error: unknown) => {
		if (!limits.sendsUnpriced) throw error;
		return new Map<string, undefined>();
	});
	const estimate = findDearest(models.map((model) => priceUsage(prices.get(model), most)));
	const account = await run.client.context.account?.();
	const key = randomUUID();
	const reservation = run.budget.reserve(estimate, limits, { keys: [key], account });
	run.reservations.push(reservation);
	return async (work) => {
		const { signal } = run.client.context;
		const admitted = run.budget.admit(reservation, key, signal).then(work);
		const result = await admitted.catch((error: unknown) => {
			const isUnbilled = error instanceof GatewayError && error.details.billed === 0;
			if (isUnbilled) run.budget.release(reservation);
			else run.budget.settle(reservation, undefined);
			run.budget.close(reservation);
			throw error;
		});
		const { model, usage, isStream, cost = priceOf(prices.get(model), usage) } = result;
		run.budget.settle(reservation, cost);
		if (cost === undefined)
			run.summary.addWarning(
				`The cost of a request is not known. The limit counts its estimate, if there is one${isStream ? '. To know the cost, turn off Stream' : ''}`,
			);
		return { ...result, cost };
	};
}

function priceOf(price: UsagePrice | undefined, usage: Usage): number | undefined {
	const estimate = priceUsage(price, usage);
	return 'quota' in estimate ? estimate.quota : undefined;
}
