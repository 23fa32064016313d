import { isBlank, isRecord, toText } from '../../catalog/json';
import { parseJson } from '../../gateway/json';
import { EVERY_REQUEST, type Field } from '../../catalog/families';
import { getParameter } from '../../catalog/labels';
import { addPickedAssets } from './assetPickers';
import { isVisible, isPrimary } from '../../catalog/visibility';
import type { RequestBody } from '../../catalog/rules';
import type { ModelSpec } from '../../catalog/modelSpec';

/** The stored panel: fields at the top level, and those that a user added. */
export interface PanelInput {
	top: RequestBody;
	additionalFields: RequestBody;
}

/** Nothing that could be sent: no text, no items, no fields. */
export const isEmpty = (value: unknown): boolean =>
	isBlank(value) ||
	(typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** A list of objects out of the panel's form, or of whatever an expression gave for it. */
function toObjects(value: unknown): unknown {
	const given = parseJson(value);
	if (!isRecord(given)) return given;
	if (!Object.keys(given).length) return [];
	// `entry` is the name under which n8n stores the form.
	const items = 'entry' in given ? [given.entry].flat() : [given];
	return items.map((item) =>
		isRecord(item)
			? Object.fromEntries(
					Object.entries(item).filter(([, part]) => part !== '' && part !== undefined),
				)
			: item,
	);
}

/** Several inputs, each of them one text or, from an expression, a list. */
const toTexts = (value: unknown): unknown[] => [value].flat(2).filter((text) => !isBlank(text));

const trim = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);

/**
 * A panel value as the field's JSON type, where the conversion is clean: expressions make texts of
 * numbers. A value that is not clean stays as it is, so that the check can name it.
 */
export function convertValue(value: unknown, field: Field): unknown {
	const trimmed = trim(value);
	switch (field.type) {
		case 'integer':
		case 'number':
			return typeof trimmed === 'string' && /^-?\d+(\.\d+)?$/.test(trimmed)
				? Number(trimmed)
				: trimmed;
		case 'boolean':
			return trimmed === 'true' ? true : trimmed === 'false' ? false : trimmed;
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
			return typeof value === 'number' ? String(value) : value;
	}
}

/**
 * The request body (without `model`) that the panel means for this model: only fields that the panel
 * offers and the user set. An action that is the model's default is left to the gateway.
 */
export function readPanel(spec: ModelSpec, { top, additionalFields }: PanelInput): RequestBody {
	const action = toText(isEmpty(top.action) ? spec.actions[0] : top.action);
	const body: RequestBody = {};
	const fields: Record<string, Field> = { ...spec.fields, extra: EVERY_REQUEST.extra };
	for (const [name, field] of Object.entries(fields)) {
		if (name !== 'extra' && !isVisible(spec, name, action)) continue;
		const stored = isPrimary(spec, name) ? top : additionalFields;
		const given = stored[getParameter(name, field)];
		if (isEmpty(given) || (name === 'action' && given === field.default)) continue;
		const value = convertValue(given, field);
		if (!isEmpty(value)) body[name] = value;
	}
	const withAssets = addPickedAssets(spec, body, additionalFields);
	return spec.open ? withExtraBody(withAssets, top.extra_body) : withAssets;
}

/** Adds the fields of Extra Body that the panel has not; the model and the fields of the panel win. */
function withExtraBody(body: RequestBody, extraBody: unknown): RequestBody {
	const extra = parseJson(extraBody);
	if (isEmpty(extra)) return body;
	if (!isRecord(extra)) return { ...body, extra_body: extra };
	const merged: RequestBody = { ...extra, ...body };
	delete merged.model;
	return merged;
}
