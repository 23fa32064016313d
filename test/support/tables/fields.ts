import type { Field, FieldType, Scalar } from '../../../nodes/catalog/families';

/** What is wrong with the fields of one model, as the ends of sentences that begin with the model. */

type JsonType = 'string' | 'number' | 'boolean' | 'list' | 'object';

const JSON_TYPES: Record<FieldType, JsonType> = {
	string: 'string',
	link: 'string',
	integer: 'number',
	number: 'number',
	boolean: 'boolean',
	links: 'list',
	texts: 'list',
	objects: 'list',
	object: 'object',
};

const isBelow = (value: number, min: number | undefined) => min !== undefined && value < min;
const isAbove = (value: number, max: number | undefined) => max !== undefined && value > max;

/** Whether the field takes the value, by its type, its choices and its bounds. */
export function accepts(field: Field, value: Scalar): boolean {
	const { type, enum: choices, min, max, maxLength } = field;
	if (typeof value !== JSON_TYPES[type]) return false;
	if (type === 'integer' && !Number.isInteger(value)) return false;
	if (choices) return choices.includes(value);
	if (typeof value === 'number') return !isBelow(value, min) && !isAbove(value, max);
	return typeof value !== 'string' || !isAbove(value.length, maxLength);
}

const repeated = (list: readonly unknown[]) =>
	list.filter((value, index) => list.indexOf(value) !== index);

function* choiceProblems(field: Field): Generator<string> {
	const { type, enum: choices, choices: meanings = {}, otherValues } = field;
	if (otherValues && !choices) yield 'has otherValues, but no enum that they could stand beside';
	for (const value of Object.keys(meanings))
		if (!choices?.map(String).includes(value))
			yield `describes the choice ${value}, which is not in its enum`;
	if (!choices) return;
	if (!choices.length) yield 'has an empty enum';
	for (const value of repeated(choices)) yield `has ${value} twice in its enum`;
	for (const value of choices)
		if (!accepts({ ...field, enum: undefined }, value))
			yield `has ${JSON.stringify(value)} in its enum, which is no ${type} within its limits`;
}

function* limitProblems(field: Field): Generator<string> {
	const { type, min, max, maxLength, minItems, maxItems, unit, items } = field;
	const json = JSON_TYPES[type];
	if ((min ?? max) !== undefined && json !== 'number') yield `has min or max, but is a ${type}`;
	if (maxLength !== undefined && json !== 'string') yield `has maxLength, but is a ${type}`;
	if ((minItems ?? maxItems) !== undefined && json !== 'list')
		yield `has minItems or maxItems, but is a ${type}`;
	if (min !== undefined && isAbove(min, max)) yield `has min ${min} above max ${max}`;
	if (minItems !== undefined && isAbove(minItems, maxItems))
		yield `has minItems ${minItems} above maxItems ${maxItems}`;
	if (maxLength !== undefined && maxLength < 1) yield `has maxLength ${maxLength}`;
	if (unit && json !== 'number') yield `has the unit ${unit}, but is a ${type}`;
	if (items && type !== 'objects') yield `has items, but is a ${type}`;
}

function* textProblems({ type, description }: Field): Generator<string> {
	if (!/^[A-Z0-9]/.test(description)) yield 'has a description that begins without a capital';
	if (description.endsWith('.')) yield 'has a description that ends with a period';
	if (type === 'boolean' && !description.startsWith('Whether '))
		yield 'is a boolean, so its description begins with "Whether"';
}

/** Everything that is wrong with one field, its items included. */
export function* fieldProblems(name: string, field: Field): Generator<string> {
	// A model can add a field that lacks these, which is a mistake of its own.
	if (!field.type || !field.description) return;
	const { type, default: byDefault, enum: choices, media, items = {} } = field;
	const problems = [...choiceProblems(field), ...limitProblems(field), ...textProblems(field)];
	for (const problem of problems) yield `${name} ${problem}`;
	if (JSON_TYPES[type] === 'number' && field.description.includes('in seconds') && !field.unit)
		yield `${name} is in seconds, but has no unit`;
	const [named] = /image|video|audio/.exec(name) ?? [];
	if (media && named && named !== media)
		yield `${name} leads to ${media}, but its name says ${named}`;
	if (byDefault !== undefined && !accepts(field, byDefault))
		yield choices
			? `${name} has the default ${byDefault}, which is not in its enum`
			: `${name} has the default ${byDefault}, which its limits refuse`;
	if ((type === 'link' || type === 'links') && !media)
		yield `${name} is a ${type}, but has no media that it leads to`;
	for (const [item, part] of Object.entries(items)) {
		yield* fieldProblems(`${name}[].${item}`, part);
		if (part.default !== undefined)
			yield `${name}[].${item} has a default, which no check compares: say it in its description`;
	}
}
