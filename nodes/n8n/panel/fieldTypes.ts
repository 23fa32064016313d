import type { Field, Fields, FieldType } from '../../catalog/families';
import { listChoices } from './property';

/** A value, or its text. */
export const JSON_TYPE = 'object | string';

export const toMember = (name: string, type: string, isRequired: boolean): string =>
	`${name}${isRequired ? '' : '?'}:${type}`;

export const toObject = (members: readonly string[]): string => `{${members.join(';')}}`;

const toUnion = (choices: readonly unknown[]): string =>
	choices.map((choice) => (typeof choice === 'string' ? `'${choice}'` : String(choice))).join('|');

/** As n8n stores the form: under `entry`, one or several. */
function toFormType(items: Fields, maxItems: number | undefined): string {
	const members = Object.entries(items).map(([name, field]) =>
		toMember(name, toFieldType(field), Boolean(field.required)),
	);
	const item = toObject(members);
	return toObject([toMember('entry', maxItems === 1 ? item : `Array<${item}>`, true)]);
}

const TYPES: Record<FieldType, string> = {
	string: 'string',
	link: 'string',
	integer: 'number',
	number: 'number',
	boolean: 'boolean',
	links: 'string[]',
	texts: 'string[]',
	objects: 'Json',
	object: 'Json',
};

/** What the panel stores for a field. Lists of objects of `isOpen` models are JSON. */
export function toFieldType(field: Field, isOpen = false): string {
	const { type, otherValues, items, maxItems } = field;
	const choices = listChoices(field);
	if (choices) return otherValues ? `${toUnion(choices)}|string` : toUnion(choices);
	return type === 'objects' && items && !isOpen ? toFormType(items, maxItems) : TYPES[type];
}
