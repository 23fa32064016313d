import type { ModelRule, Surroundings } from './rules';
import type { Body } from './settings';

/** Section 1: 500,000 quota are one USD. */
export const quotaPerUsd = 500_000;

/**
 * Quota held for a task. Quota is a whole number (section 1); how a fraction
 * is rounded is not shown: here to the nearest, once for the whole task.
 */
export function holdOf(rule: ModelRule, body: Body, around: Surroundings): number {
	return Math.round(rule.price(body, around) * quotaPerUsd);
}
