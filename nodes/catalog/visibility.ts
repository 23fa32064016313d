import type { RequestSpec } from './requestSpec';
import type { Rule } from './schema';

export type OfferedFields = Pick<RequestSpec, 'fields' | 'rules'> & {
	actions: readonly string[];
};

/** The rule refuses or ignores the field under the action, whatever else is set. */
function isRuledOut(rule: Rule, name: string, action: string): boolean {
	if (rule.rule !== 'excludes' && rule.rule !== 'ignored') return false;
	const { when, fields } = rule;
	if (when.has || when.is || !fields.includes(name)) return false;
	return !when.action || when.action.includes(action);
}

/**
 * Whether the panel offers the field under the action. Others are not read either: a value left from
 * another model is not sent. Under an action that the model does not have: what all of its actions take.
 */
export function isVisible(spec: OfferedFields, name: string, action: string): boolean {
	const field = spec.fields[name]!;
	if (name === 'action') return spec.actions.length > 1;
	if (!spec.actions.includes(action))
		return spec.actions.every((each) => isVisible(spec, name, each));
	if (field.actions && !field.actions.includes(action)) return false;
	return !spec.rules.some((rule) => isRuledOut(rule, name, action));
}

/** At the top level of the panel. Fields with one possible value are in Additional Fields. */
export function isPrimary(spec: OfferedFields, name: string): boolean {
	const { required = false, primary = false, enum: allowed } = spec.fields[name] ?? {};
	return required || (primary && allowed?.length !== 1);
}

/** What must be set under the action: one field of each list. */
export function listRequirements({ fields, rules }: OfferedFields, action: string) {
	const required = Object.keys(fields).filter((name) => fields[name]!.required);
	const byRule = rules.flatMap((rule): (readonly string[])[] => {
		if (rule.rule !== 'requires' || rule.when.has || rule.when.is) return [];
		if (rule.when.action && !rule.when.action.includes(action)) return [];
		return 'allOf' in rule ? rule.allOf.map((name) => [name]) : [rule.anyOf];
	});
	return [...required.map((name) => [name]), ...byRule];
}

/** The fields that the action needs, whatever else is set. */
export const listRequired = (spec: OfferedFields, action: string): string[] =>
	listRequirements(spec, action).flatMap((choice) => (choice.length === 1 ? choice : []));

/**
 * The fields at the top level that must be set under the action. Where one of several fields is enough, none
 * must, unless it is a list of objects and the only one at the top level.
 */
export const listNeeded = (spec: OfferedFields, action: string): string[] =>
	listRequirements(spec, action).flatMap((choice) => {
		const offered = choice.filter((name) => isPrimary(spec, name));
		const isForm = offered.length === 1 && spec.fields[offered[0]!]?.type === 'objects';
		return choice.length === 1 || isForm ? offered : [];
	});
