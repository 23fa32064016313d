import type { Field } from '../../catalog/families';
import { listChoices } from './property';

/** A value, or its text. */
export const JSON_TYPE = 'object | string';

const isName = (name: string) => /^[a-z_]\w*$/i.test(name);

export const toMember = (name: string, type: string, isRequired: boolean): string =>
	`${isName(name) ? name : `'${name}'`}${isRequired ? '' : '?'}:${type}`;

const toUnion = (choices: readonly unknown[]): string =>
	choices.map((choice) => (typeof choice === 'string' ? `'${choice}'` : String(choice))).join('|');

/** As n8n stores the form: under `entry`, one or several. */
function toFormType(items: Readonly<Record<string, Field>>, maxItems: number | undefined): string {
	const members = Object.entries(items).map(([name, field]) =>
		toMember(name, toFieldType(field), Boolean(field.required)),
	);
	const item = `{${members.join(';')}}`;
	return `{entry:${maxItems === 1 ? item : `Array<${item}>`}}`;
}

/** What the panel stores for a field. Lists of objects of `isOpen` models are JSON. */
export function toFieldType(field: Field, isOpen = false): string {
	const { type, fallback, items, maxItems } = field;
	const choices = listChoices(field);
	if (choices) return fallback ? `${toUnion(choices)}|string` : toUnion(choices);
	switch (type) {
		case 'integer':
		case 'number':
			return 'number';
		case 'boolean':
			return 'boolean';
		case 'string':
		case 'link':
			return 'string';
		case 'links':
		case 'texts':
			return 'string[]';
		case 'objects':
			return items && !isOpen ? toFormType(items, maxItems) : 'Json';
		case 'object':
			return 'Json';
	}
}
