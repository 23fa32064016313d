import { isObject } from './json';
import type { Field, FieldType } from './schema';
import { describeValue } from './labels';

const isListOf = (value: unknown, isItem: (item: unknown) => boolean) =>
	Array.isArray(value) && value.every(isItem);
const isText = (value: unknown) => typeof value === 'string';

const TYPES: Record<FieldType, { name: string; isOf: (value: unknown) => boolean }> = {
	string: { name: 'text', isOf: isText },
	link: { name: 'one link', isOf: isText },
	integer: { name: 'a whole number', isOf: Number.isInteger },
	number: { name: 'a number', isOf: Number.isFinite },
	boolean: { name: 'true or false', isOf: (value) => typeof value === 'boolean' },
	links: { name: 'a list of links', isOf: (value) => isListOf(value, isText) },
	texts: { name: 'a list of texts', isOf: (value) => isListOf(value, isText) },
	objects: { name: 'a list of JSON objects', isOf: (value) => isListOf(value, isObject) },
	object: { name: 'a JSON object', isOf: isObject },
};

/** A text that holds a number. */
export const isNumeric = (value: unknown): boolean =>
	typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value);

/** Why the value is not of the field's type, after the label: `must be a whole number, but is the text "five"`. */
export function findTypeProblem(value: unknown, { type, acceptsOne }: Field): string | undefined {
	const { name, isOf } = TYPES[type];
	if (isOf(value) || (acceptsOne && isText(value))) return undefined;
	const isNumber = type === 'integer' || type === 'number';
	const wanted = isNumber && isNumeric(value) ? 'a JSON number' : name;
	const isTextForValue = isNumber || type === 'boolean';
	const given = describeValue(value, isTextForValue ? 'text' : 'quoted');
	return `must be ${wanted}, but is ${given}`;
}
