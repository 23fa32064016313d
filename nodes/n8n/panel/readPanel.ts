import { dateText, isBlank, isObject, toText } from '../../catalog/json';
import { isNumeric } from '../../catalog/jsonTypes';
import { parseJson } from '../../gateway/json';
import { EVERY_REQUEST, type Field } from '../../catalog/families';
import { getLabel, getParameter } from '../../catalog/labels';
import { findsNothing } from '../../catalog/links';
import { addPickedAssets } from './assetPickers';
import { isVisible, isPrimary } from '../../catalog/visibility';
import type { RequestBody } from '../../catalog/rules';
import type { ModelSpec } from '../../catalog/modelSpec';
import { toFieldsOf } from '../../catalog/requestSpec';

/** Nothing to send. */
export const isEmpty = (value: unknown): boolean =>
	isBlank(value) ||
	(typeof value === 'object' &&
		value !== null &&
		dateText(value) === undefined &&
		Object.keys(value).length === 0);

/** From the form, or from an expression. */
function toObjects(value: unknown): unknown {
	const given = parseJson(value);
	if (!isObject(given)) return given;
	if (!Object.keys(given).length) return [];
	// n8n stores the form under `entry`.
	const items = 'entry' in given ? [given.entry].flat() : [given];
	return items.map((item) =>
		isObject(item)
			? Object.fromEntries(
					Object.entries(item)
						.map(([name, part]) => [name, trim(part)] as const)
						.filter(([, part]) => !isBlank(part)),
				)
			: item,
	);
}

/** Several inputs, each a text or a list from an expression. */
const toTexts = (value: unknown): unknown[] => [value].flat(2).filter((text) => !isBlank(text));

const trim = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);

/** A larger whole number would become another one. */
const isExact = (number: number): boolean => Math.abs(number) <= Number.MAX_SAFE_INTEGER;

/** To the field's JSON type where that is clean, since expressions make texts of numbers. The check names the others. */
export function convertValue(value: unknown, field: Field): unknown {
	const trimmed = trim(value);
	switch (field.type) {
		case 'integer':
		case 'number':
			return isNumeric(value) && isExact(Number(value)) ? Number(value) : trimmed;
		case 'boolean':
			return typeof trimmed === 'string' && /^(true|false)$/i.test(trimmed)
				? trimmed.toLowerCase() === 'true'
				: trimmed;
		case 'links':
			return toTexts([value].flat(2).map(trim));
		case 'texts':
			return toTexts(value);
		case 'objects':
			return toObjects(value);
		case 'object':
			return parseJson(value);
		case 'link':
			return trimmed;
		case 'string':
			return Number.isFinite(value) ? String(value) : (dateText(value) ?? value);
	}
}

/** The labels of what an expression does not find, also in a form. */
function findMissing(given: unknown, name: string, field: Field): string[] {
	const label = getLabel(name, field);
	if (given === undefined) return [label];
	const forms = field.items && isObject(given) ? [given.entry].flat().filter(isObject) : [];
	return forms
		.flatMap((form) => Object.keys(form).filter((part) => form[part] === undefined))
		.map((part) => `${getLabel(part, field.items?.[part])} of ${label}`);
}

/**
 * The request body (without `model`): what the panel offers and the user has set. A default action is left out. A
 * link whose expression finds nothing is undefined, which the check refuses. An agent may leave it out (`isTool`).
 * `onMissing` gets the labels of other fields whose expression finds nothing.
 */
export function readPanel(
	spec: ModelSpec,
	{ top, additionalFields }: { top: RequestBody; additionalFields: RequestBody },
	isTool = false,
	onMissing?: (label: string) => void,
): RequestBody {
	const action = toText(isEmpty(top.action) ? spec.actions[0] : top.action);
	const body: RequestBody = {};
	const offered = Object.entries(spec.fields).filter(([name]) => isVisible(spec, name, action));
	for (const [name, field] of [...offered, ['extra', EVERY_REQUEST.extra as Field] as const]) {
		const stored = isPrimary(spec, name) ? top : additionalFields;
		const parameter = getParameter(name, field);
		const given = stored[parameter];
		const isLink = field.type === 'link' || field.type === 'links';
		const isMissing = isLink && !isTool && parameter in stored && findsNothing(given);
		if (isMissing) body[name] = undefined;
		else if (parameter in stored)
			for (const label of findMissing(given, name, field)) onMissing?.(label);
		if (isMissing || isEmpty(given) || (name === 'action' && given === field.default)) continue;
		const value = convertValue(given, field);
		if (!isEmpty(value)) body[name] = value;
	}
	const withAssets = addPickedAssets(Object.fromEntries(offered), body, additionalFields, isTool);
	return spec.open ? withExtraBody(spec, withAssets, top.extra_body) : withAssets;
}

/** Adds Extra Body. The model and the fields of the panel win. */
function withExtraBody(spec: ModelSpec, body: RequestBody, extraBody: unknown): RequestBody {
	const extra = parseJson(extraBody);
	if (isEmpty(extra)) return body;
	if (!isObject(extra)) return { ...body, extra_body: extra };
	const merged: RequestBody = { ...toFieldsOf(spec, spec, extra), ...body };
	delete merged.model;
	return merged;
}
