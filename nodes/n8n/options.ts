import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Issue } from '../catalog/validate';
import { findLimitViolation } from '../catalog/limits';
import { findTypeProblem } from '../catalog/jsonTypes';
import { convertValue } from './panel/readPanel';
import type { Field } from '../catalog/families';
import type { Item } from '../GenerationGateway/operation';

/** A switch that is on once it is added. */
export const toggle = (
	displayName: string,
	name: string,
	description: string,
): INodeProperties => ({
	displayName,
	name,
	type: 'boolean',
	default: true,
	description,
});
export const number = (
	displayName: string,
	name: string,
	description: string,
	value: number,
	minValue = 0,
): INodeProperties => ({
	displayName,
	name,
	type: 'number',
	typeOptions: { minValue },
	default: value,
	description,
});

export const concurrency = number(
	'Concurrency',
	'concurrency',
	'How many calls to the gateway may be under way at once',
	20,
	1,
);
export const simplify = toggle(
	'Simplify',
	'simplify',
	'Whether to return a simplified version of the response instead of the raw data',
);

export const extraBody: INodeProperties = {
	displayName: 'Extra Body',
	name: 'extra_body',
	type: 'json',
	default: '',
	placeholder: 'e.g. { "user": "row-17" }',
	description: 'Further parameters of the request, as JSON. What is set in a field wins.',
};

/** How many entries of a list to return. */
export const returnAll = (byDefault: boolean): INodeProperties[] => [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
		...(byDefault && { default: true }),
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
];

/** What an item says of it; Infinity for all. */
export function readLimit(item: Item): number {
	return item.get('returnAll', false) === true
		? Infinity
		: Math.max(1, Math.floor(Number(item.get('limit', 50))) || 50);
}

/** An option that holds a JSON object, or what is wrong with it. */
export function readObjectOption(
	{ options }: Item,
	name: string,
	label: string,
): { value?: IDataObject; issue?: Issue } {
	const given = options[name];
	if (given === undefined || given === '') return {};
	const value = convertValue(given, { type: 'object', description: '' });
	if (typeof value === 'object' && value !== null && !Array.isArray(value))
		return { value: value as IDataObject };
	return { issue: { field: name, message: `${label} (${name}): a JSON object is needed` } };
}

/**
 * Options as the panel means them, also where an expression made text of a number or a switch. What is
 * neither becomes an issue: a limit that cannot be read must not turn into no limit.
 */
export function createOptionReader({ options }: Item) {
	const issues: Issue[] = [];
	const read = (name: string, label: string, field: Field): unknown => {
		if (!(name in options)) return undefined;
		const value = convertValue(options[name], field);
		const wrong = findTypeProblem(value, field) ?? findLimitViolation(value, field)?.refusal;
		if (!wrong) return value;
		issues.push({ field: name, message: `${label} ${wrong}` });
		return undefined;
	};
	return {
		issues,
		number: (name: string, label: string, min: number, max?: number) =>
			read(name, label, { type: 'number', min, max, description: '' }) as number | undefined,
		isOn: (name: string, label: string, byDefault = false) =>
			(read(name, label, { type: 'boolean', description: '' }) as boolean | undefined) ?? byDefault,
	};
}

/** The Options collection of an operation. */
export const optionsCollection = (options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options,
});
