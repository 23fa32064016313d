import { joinWords, toTitle } from '../labels';
import type { Rule, When } from '../schema';

/** The rule that the action requires one of the fields, e.g. `Edit requires Image URLs`. */
export const requires = (action: string, ...anyOf: string[]): Rule => ({
	rule: 'requires',
	when: { action: [action] },
	anyOf,
	description: `${toTitle(action)} requires ${joinWords(anyOf.map(toTitle))}`,
});

/** The same rule under each of several conditions. */
export const underEach = <Rest extends Omit<Rule, 'when'>>(conditions: When[], rule: Rest) =>
	conditions.map((when) => ({ ...rule, when }));
