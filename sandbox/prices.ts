import type { ModelRule, CheckContext } from './rules';
import type { Body } from './settings';

/** Section 1: 500,000 quota are one USD. */
export const QUOTA_PER_USD = 500_000;

/**
 * Quota held for a task. Quota is a whole number (section 1); how a fraction
 * is rounded is not shown: here to the nearest, once for the whole task.
 */
export function calculateHold(rule: ModelRule, body: Body, context: CheckContext): number {
	return Math.round(rule.calculatePrice(body, context) * QUOTA_PER_USD);
}
