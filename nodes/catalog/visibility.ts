import type { Rule } from './families';
import type { ModelSpec } from './modelSpec';

/** A rule that needs nothing but model and action to apply can be shown by leaving the field out. */
function hides(rule: Rule, name: string, action: string): boolean {
	if (rule.rule !== 'excludes' && rule.rule !== 'ignored') return false;
	const { when, fields } = rule;
	if (when.has || when.is || !fields.includes(name)) return false;
	return !when.action || when.action.includes(action);
}

/**
 * Whether the panel offers the field for the action. What is not offered is not read either, so a
 * value left over from another model or action neither reaches the wire nor stands in the way.
 * For an action that the model does not have, only what it takes under every action is shown.
 */
export function isVisible(spec: ModelSpec, name: string, action: string): boolean {
	const field = spec.fields[name];
	if (!field) return false;
	if (name === 'action') return spec.actions.length > 1;
	if (!spec.actions.includes(action))
		return spec.actions.every((each) => isVisible(spec, name, each));
	if (field.actions && !field.actions.includes(action)) return false;
	return !spec.rules.some((rule) => hides(rule, name, action));
}

/** Required and everyday fields stand at the top level, the rest in Additional Fields; one value is no everyday choice. */
export function isPrimary(spec: ModelSpec, name: string): boolean {
	const { required, primary, enum: allowed } = spec.fields[name] ?? {};
	return Boolean(required ?? (primary && allowed?.length !== 1));
}
