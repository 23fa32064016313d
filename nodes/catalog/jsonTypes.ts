import type { Field, FieldType } from './families';
import { quote } from './labels';

const NEEDED: Record<FieldType, string> = {
	string: 'text is needed',
	link: 'one link is needed',
	integer: 'a whole number is needed',
	number: 'a number is needed',
	boolean: 'true or false is needed',
	links: 'a list of links is needed',
	texts: 'a list of texts is needed',
	objects: 'a list of JSON objects is needed',
	object: 'a JSON object is needed',
};

const isObject = (value: unknown) =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
const isListOf = (value: unknown, test: (entry: unknown) => boolean) =>
	Array.isArray(value) && value.every(test);
const isText = (value: unknown) => typeof value === 'string';

const FITS: Record<FieldType, (value: unknown) => boolean> = {
	string: isText,
	link: isText,
	integer: Number.isInteger,
	number: Number.isFinite,
	boolean: (value) => typeof value === 'boolean',
	links: (value) => isListOf(value, isText),
	texts: (value) => isListOf(value, isText),
	objects: (value) => isListOf(value, isObject),
	object: isObject,
};

/** Why the value is not of the field's JSON type, or undefined. Nothing is converted here. */
export function findTypeProblem(value: unknown, field: Field): string | undefined {
	if (FITS[field.type](value)) return undefined;
	const asText = typeof value === 'string' && field.type !== 'object' && field.type !== 'objects';
	return `${quote(value)} is ${asText ? 'text' : 'given'}, and ${NEEDED[field.type]}`;
}
