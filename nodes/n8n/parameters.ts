import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { isBlank, isRecord, toText } from '../catalog/json';
import { parseJson } from '../gateway/json';
import { findTypeProblem } from '../catalog/jsonTypes';
import { findLimitViolation } from '../catalog/limits';
import type { Field } from '../catalog/schema';
import { joinWords, quote } from '../catalog/labels';

/**
 * A parameter of a node: what the panel shows, and how its value is read back. Both stand in one
 * place, so a message can name the parameter as the user sees it.
 */
export interface Parameter<T> {
	name: string;
	property: INodeProperties;
	/** The parsed value, or a problem, which follows the label, e.g. `must be true or false`. */
	parse: (raw: unknown) => { value: T } | { problem: string };
	/** What counts where the parameter is not set. */
	fallback: T;
}

interface Base {
	name: string;
	displayName: string;
	description: string;
	placeholder?: string;
	hint?: string;
	displayOptions?: INodeProperties['displayOptions'];
}

/** A switch. `isOn` is what counts while it is not added to the options; adding it inverts it. */
export function switchParameter({
	isOn = false,
	...base
}: Base & { isOn?: boolean }): Parameter<boolean> {
	return {
		name: base.name,
		property: { ...base, type: 'boolean', default: true },
		fallback: isOn,
		parse: (raw) => {
			const value = typeof raw === 'string' ? raw.trim().toLowerCase() : raw;
			if (value === true || value === 'true') return { value: true };
			if (value === false || value === 'false') return { value: false };
			return { problem: findTypeProblem(raw, { type: 'boolean', description: '' })! };
		},
	};
}

interface NumberBase<T> extends Base {
	min: number;
	max?: number;
	isInteger?: boolean;
	/** What the panel starts with once the option is added. */
	shown: number;
	fallback: T;
}

/**
 * A number within limits. An expression may make text of it; what is no number is refused, since a
 * limit that cannot be read must not turn into no limit.
 */
export function numberParameter<T extends number | undefined>({
	min,
	max,
	isInteger = false,
	shown,
	fallback,
	...base
}: NumberBase<T>): Parameter<T | number> {
	const field: Field = { type: isInteger ? 'integer' : 'number', min, max, description: '' };
	return {
		name: base.name,
		property: {
			...base,
			type: 'number',
			typeOptions: {
				minValue: min,
				...(max !== undefined && { maxValue: max }),
				...(isInteger && { numberPrecision: 0 }),
			},
			default: shown,
		},
		fallback,
		parse: (raw) => {
			const value =
				typeof raw === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(raw) ? Number(raw) : raw;
			const problem = findTypeProblem(value, field) ?? findLimitViolation(value, field)?.refusal;
			return problem ? { problem } : { value: value as number };
		},
	};
}

/** A text; numbers and switches that an expression gives become text, objects are refused. */
export function textParameter({
	shown = '',
	rows,
	isRequired,
	acceptsJson = false,
	...base
}: Base & {
	shown?: string;
	rows?: number;
	isRequired?: boolean;
	/** Objects become JSON instead of being refused. */
	acceptsJson?: boolean;
}): Parameter<string> {
	return {
		name: base.name,
		property: {
			...base,
			type: 'string',
			default: shown,
			...(rows && { typeOptions: { rows } }),
			...(isRequired && { required: true }),
		},
		fallback: '',
		parse: (raw) => {
			if (isBlank(raw)) return { value: '' };
			if (typeof raw === 'object' && !acceptsJson)
				return { problem: `must be a text, but is ${quote(raw)}` };
			return { value: toText(raw).trim() };
		},
	};
}

/** Texts, given with commas between them or by an expression as a list. */
export function listParameter(base: Base): Parameter<string[]> {
	return {
		name: base.name,
		property: { ...base, type: 'string', default: '' },
		fallback: [],
		parse: (raw) => {
			const given = (Array.isArray(raw) ? raw : [raw]).filter((part) => !isBlank(part));
			if (given.some((part) => typeof part === 'object'))
				return { problem: `must be texts with commas between them, but is ${quote(raw)}` };
			const parts = given.flatMap((part) => toText(part).split(','));
			return { value: parts.map((part) => part.trim()).filter(Boolean) };
		},
	};
}

interface ChoiceBase<T extends string, Fallback> extends Base {
	options: (INodePropertyOptions & { value: T })[];
	/** What the panel starts with, where that is not the fallback. */
	shown?: T;
	fallback: Fallback;
}

/** One of a few values. */
export function choiceParameter<T extends string, Fallback extends T | undefined = T>({
	options,
	fallback,
	shown,
	...base
}: ChoiceBase<T, Fallback>): Parameter<T | Fallback> {
	return {
		name: base.name,
		property: { ...base, type: 'options', options, default: shown ?? fallback },
		fallback,
		parse: (raw) => {
			const found = options.find(({ value }) => value === raw);
			if (found) return { value: found.value };
			const choices = joinWords(options.map(({ value }) => value));
			return { problem: `must be ${choices}, but is ${quote(raw)}` };
		},
	};
}

/** A JSON object, as text or as an expression gives it; undefined where nothing is in it. */
export function objectParameter(base: Base): Parameter<Record<string, unknown> | undefined> {
	return {
		name: base.name,
		property: { ...base, type: 'json', default: '{}' },
		fallback: undefined,
		parse: (raw) => {
			if (isBlank(raw)) return { value: undefined };
			const value = parseJson(raw);
			if (isRecord(value)) return { value: Object.keys(value).length ? value : undefined };
			return { problem: `must be a JSON object, but is ${quote(raw)}` };
		},
	};
}
