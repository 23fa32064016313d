import type { z, ZodTypeAny } from 'zod';
import type { Field, Fields, Scalar } from '../catalog/families';
import { getLabel, joinWords } from '../catalog/labels';
import { describeLimits } from '../catalog/limits';
import type { ModelSpec } from '../catalog/modelSpec';
import type { RequestBody } from '../catalog/rules';
import { isVisible, listRequired } from '../catalog/visibility';
import { hostZod } from './hostZod';

/** Texts as an enumeration, numbers as a range: some models know no other enumeration. */
function toChoice(field: Field, choices: readonly Scalar[]): ZodTypeAny {
	const numbers = choices.filter((choice) => typeof choice === 'number');
	if (numbers.length)
		return toNumber({ ...field, min: Math.min(...numbers), max: Math.max(...numbers) });
	const [first = '', ...others] = choices.map(String);
	return hostZod.enum.create([first, ...others]);
}

function toNumber({ type, min, max }: Field): ZodTypeAny {
	let schema = hostZod.number.create();
	if (type === 'integer') schema = schema.int();
	if (min !== undefined) schema = schema.min(min);
	return max === undefined ? schema : schema.max(max);
}

function toList(item: ZodTypeAny, { minItems, maxItems }: Field): ZodTypeAny {
	const list = minItems === undefined ? item.array() : item.array().min(minItems);
	return maxItems === undefined ? list : list.max(maxItems);
}

/** With the limits that JSON Schema knows. */
function toSchema(field: Field, isOpen: boolean): ZodTypeAny {
	const { type, enum: accepted, otherValues, items = {} } = field;
	if (accepted && !otherValues) return toChoice(field, accepted);
	switch (type) {
		case 'integer':
		case 'number':
			return toNumber(field);
		case 'boolean':
			return hostZod.boolean.create();
		case 'string':
		case 'link':
			return hostZod.string.create();
		case 'links':
		case 'texts':
			return toList(hostZod.string.create(), field);
		case 'objects':
			return toList(toObject(items, isOpen), field);
		case 'object':
			return hostZod.object.create({}).passthrough();
	}
}

function toObject(items: Fields, isOpen: boolean): ZodTypeAny {
	const members = Object.entries(items).map(
		([name, field]) =>
			[name, toArgument(name, field, field.required === true, [], isOpen)] as const,
	);
	const item = hostZod.object.create(Object.fromEntries(members));
	// e.g. the role of an image
	return isOpen ? item.passthrough() : item;
}

/** With label, purpose, limits and actions. */
function toArgument(
	name: string,
	field: Field,
	isNeeded: boolean,
	actions: readonly string[],
	isOpen: boolean,
): ZodTypeAny {
	const { description, choices = {}, default: assumed } = field;
	const notes = [
		describeLimits(field),
		assumed === undefined ? '' : `${String(assumed)} by default`,
		actions.length ? `only for action ${joinWords(actions)}` : '',
	].filter(Boolean);
	const noted = notes.length ? ` (${notes.join('; ')})` : '';
	const meanings = Object.entries(choices).map(([value, meaning]) => `${value}: ${meaning}.`);
	const words = [`${getLabel(name, field)}: ${description}${noted}.`, ...meanings].join(' ');
	const schema = toSchema(field, isOpen);
	return (isNeeded ? schema : schema.optional()).describe(words);
}

/** The fields of a model as arguments of a tool. Required are those that every possible action needs. */
export function createToolArguments(spec: ModelSpec, fixed: RequestBody): z.AnyZodObject {
	const actions = 'action' in fixed ? [String(fixed.action)] : spec.actions;
	const required = actions.map((action) => listRequired(spec, action));
	const fields = Object.entries(spec.fields).flatMap(([name, field]) => {
		const offered = actions.filter((action) => isVisible(spec, name, action));
		if (name in fixed || !offered.length) return [];
		const isNeeded = required.every((names) => names.includes(name));
		const restricted = offered.length < actions.length ? offered : [];
		return [[name, toArgument(name, field, isNeeded, restricted, spec.open === true)] as const];
	});
	return hostZod.object.create(Object.fromEntries(fields));
}
