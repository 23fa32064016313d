import type { Rule } from './families';
import type { Sheet } from './modelSpec';

/** A rule that needs nothing but model and action to apply can be shown by leaving the field out. */
function hides(rule: Rule, name: string, action: string): boolean {
  if (rule.rule !== 'excludes' && rule.rule !== 'idle') return false;
  const { when, fields } = rule;
  if (when.has || when.is || !fields.includes(name)) return false;
  return !when.action || when.action.includes(action);
}

/**
 * Whether the panel offers the field for the action. What is not offered is not read either, so a
 * value left over from another model or action neither reaches the wire nor stands in the way.
 * For an action that the model does not have, only what it takes under every action is shown.
 */
export function isOffered(sheet: Sheet, name: string, action: string): boolean {
  const field = sheet.fields[name];
  if (!field) return false;
  if (name === 'action') return sheet.actions.length > 1;
  if (!sheet.actions.includes(action)) return sheet.actions.every((each) => isOffered(sheet, name, each));
  if (field.offered && !field.offered.includes(action)) return false;
  return !sheet.rules.some((rule) => hides(rule, name, action));
}

/** Required and everyday fields stand at the top level, the rest in Additional Fields; one value is no everyday choice. */
export function isTopLevel(sheet: Sheet, name: string): boolean {
  const { required, everyday, values } = sheet.fields[name] ?? {};
  return Boolean(required ?? (everyday && values?.length !== 1));
}
