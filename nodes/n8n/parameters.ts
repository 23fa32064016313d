import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { dateText, isBlank, isObject, toText } from '../catalog/json';
import { parseJson } from '../gateway/json';
import { findTypeProblem, isNumeric } from '../catalog/jsonTypes';
import { findLimitProblem } from '../catalog/limits';
import type { Field } from '../catalog/schema';
import { joinWords, quote } from '../catalog/labels';

/** A parameter: what the panel shows, and how its value is read. Messages use its label. */
export interface Parameter<T> {
	name: string;
	property: INodeProperties;
	/** The value, or a problem that follows the label, e.g. `must be true or false`. */
	parse: (raw: unknown) => { value: T } | { problem: string };
	/** Where it is not set. */
	fallback: T;
}

type Base = Pick<
	INodeProperties,
	'name' | 'displayName' | 'placeholder' | 'hint' | 'displayOptions'
> & { description: string };

/** `property` has the name. */
const define = <T>(
	property: INodeProperties,
	fallback: T,
	parse: Parameter<T>['parse'],
): Parameter<T> => ({ name: property.name, property, fallback, parse });

/** A switch. `isOn` is its value while it is not added to the options. When it is added, the panel shows it on. */
export function switchParameter({
	isOn = false,
	...base
}: Base & { isOn?: boolean }): Parameter<boolean> {
	return define<boolean>({ ...base, type: 'boolean', default: true }, isOn, (raw) => {
		const value = typeof raw === 'string' ? raw.trim().toLowerCase() : raw;
		if (value === true || value === 'true') return { value: true };
		if (value === false || value === 'false') return { value: false };
		return { problem: findTypeProblem(raw, { type: 'boolean', description: '' })! };
	});
}

/** A number within limits, also as text from an expression. Anything else is refused, so that no limit is lost. */
export function numberParameter<T extends number | undefined = undefined>({
	min,
	max,
	isInteger = false,
	shown,
	fallback,
	...base
}: Base & {
	min: number;
	max?: number;
	isInteger?: boolean;
	/** Shown when the option is added. Default: the fallback. */
	shown?: number;
	fallback?: T;
}): Parameter<T | number> {
	const field: Field = { type: isInteger ? 'integer' : 'number', min, max, description: '' };
	const precision = isInteger && { numberPrecision: 0 };
	const typeOptions = { minValue: min, maxValue: max, ...precision };
	const property = { ...base, type: 'number', typeOptions, default: (shown ?? fallback)! } as const;
	return define<T | number>(property, fallback as T, (raw) => {
		const value = isNumeric(raw) ? Number(raw) : raw;
		if (!isInteger && typeof value === 'string' && isNumeric(value.replace(',', '.')))
			return { problem: `must be a number without a comma, but is the text ${quote(value)}` };
		const problem = findTypeProblem(value, field) ?? findLimitProblem(value, field);
		return problem ? { problem } : { value: value as number };
	});
}

/** A text. Numbers and switches become text, objects are refused. */
export function textParameter({
	shown = '',
	acceptsJson = false,
	refusesNull = false,
	...base
}: Base &
	Pick<INodeProperties, 'required' | 'typeOptions'> & {
		shown?: string;
		/** Objects become JSON. */
		acceptsJson?: boolean;
		/** An expression without a result is a mistake, not the wish to leave it out. */
		refusesNull?: boolean;
	}): Parameter<string> {
	return define<string>({ ...base, type: 'string', default: shown }, '', (raw) => {
		if (refusesNull && (raw === undefined || raw === null))
			return { problem: 'is added, but has no value here. Correct its expression, or remove it' };
		if (isBlank(raw)) return { value: '' };
		const isJson = typeof raw === 'object' && dateText(raw) === undefined;
		if ((isJson && !acceptsJson) || Number.isNaN(raw))
			return { problem: `must be a text, but is ${quote(raw)}` };
		return { value: toText(raw).trim() };
	});
}

/** Texts with commas between them, or a list from an expression. */
export function listParameter(base: Base): Parameter<string[]> {
	return define<string[]>({ ...base, type: 'string', default: '' }, [], (raw) => {
		const given = (Array.isArray(raw) ? raw : [raw]).filter((part) => !isBlank(part));
		if (given.some((part) => typeof part === 'object'))
			return { problem: `must be texts with commas between them, but is ${quote(raw)}` };
		const parts = given.flatMap((part) => toText(part).split(','));
		const texts = parts.map((part) => part.trim()).filter(Boolean);
		const several = texts.find((text) => /[\s;]/.test(text));
		if (several)
			return {
				problem: `must have commas between its entries, and no spaces in them, but has ${quote(several)}`,
			};
		return { value: texts };
	});
}

/** With the words of the panel, unless they are the value. */
const describeChoice = ({ name, value }: INodePropertyOptions): string =>
	name.toLowerCase() === value ? value : `${String(value)} (${name})`;

export function choiceParameter<T extends string, Fallback extends T | undefined = T>({
	options,
	fallback,
	shown,
	...base
}: Base & {
	options: (INodePropertyOptions & { value: T })[];
	/** Shown when the option is added. */
	shown?: T;
	fallback: Fallback;
}): Parameter<T | Fallback> {
	const property = { ...base, type: 'options', options, default: shown ?? fallback } as const;
	return define<T | Fallback>(property, fallback, (raw) => {
		const found = options.find(({ value }) => value === raw);
		if (found) return { value: found.value };
		const choices = joinWords(options.map(describeChoice));
		return { problem: `must be ${choices}, but is ${quote(raw)}` };
	});
}

/** A JSON object, also as text. Undefined when it is empty. */
export function objectParameter(base: Base): Parameter<Record<string, unknown> | undefined> {
	return define({ ...base, type: 'json', default: '{}' }, undefined, (raw) => {
		if (isBlank(raw)) return { value: undefined };
		const value = parseJson(raw);
		if (isObject(value)) return { value: Object.keys(value).length ? value : undefined };
		return { problem: `must be a JSON object, but is ${quote(raw)}` };
	});
}
