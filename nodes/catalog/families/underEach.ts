import type { Rule, When } from '../schema';

/** The same rule under each of several conditions. */
export const underEach = <Rest extends Omit<Rule, 'when'>>(conditions: When[], rule: Rest) =>
	conditions.map((when) => ({ ...rule, when }));
