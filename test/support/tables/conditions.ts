import type { Family, When } from '../../../nodes/catalog/families';
import type { KnownModelSpec } from '../../../nodes/catalog/modelSpec';
import { accepts } from './fields';

/** Conditions of rules and prices: what they name must exist, and it must be possible that they hold. */

/** Whether some request to the model fulfils the condition. */
export function isPossible({ models, action, has, is }: When, spec: KnownModelSpec): boolean {
	if (models && !models.includes(spec.id)) return false;
	if (action && !action.some((name) => spec.actions.includes(name))) return false;
	if (has && !has.some((name) => spec.fields[name])) return false;
	return Object.entries(is ?? {}).every(([name, accepted]) => {
		const field = spec.fields[name];
		return field && accepted.some((value) => accepts(field, value));
	});
}

/** The fields that a condition is about. */
const fieldsOfCondition = ({ has = [], is = {} }: When): string[] => [...has, ...Object.keys(is)];

/** Every field that the family or one of its models has. */
export const fieldsOfFamily = ({ fields, models }: Family): Set<string> =>
	new Set([
		...Object.keys(fields),
		...Object.values(models).flatMap((model) => Object.keys(model.fields ?? {})),
	]);

/** What a condition names that the family does not have. */
export function* unknownNames(when: When, family: Family): Generator<string> {
	const { models = [], action = [] } = when;
	const actions = new Set(Object.values(family.models).flatMap((model) => model.actions));
	const fields = fieldsOfFamily(family);
	for (const id of models) if (!family.models[id]) yield `the model ${id}`;
	for (const name of action) if (!actions.has(name)) yield `the action ${name}`;
	for (const name of fieldsOfCondition(when)) if (!fields.has(name)) yield `the field ${name}`;
}
