import { EVERY_REQUEST, type Field } from '../../catalog/families';
import { addPickedAssets } from './assetPickers';
import { toText } from '../../catalog/labels';
import { isVisible, isPrimary } from '../../catalog/visibility';
import type { RequestBody } from '../../catalog/rules';
import type { ModelSpec } from '../../catalog/modelSpec';

/** What the panel holds: fields at the top level, and the ones a user added. */
export interface PanelValues {
	top: RequestBody;
	additionalFields: RequestBody;
}

const isObject = (value: unknown): value is RequestBody =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch {
		return value;
	}
}

function entries(value: unknown): unknown {
	const read = parsed(value);
	if (!isObject(read)) return read;
	if (!Object.keys(read).length) return [];
	const list = 'entry' in read ? [read.entry].flat() : [read];
	return list.map((entry) =>
		isObject(entry)
			? Object.fromEntries(
					Object.entries(entry).filter(([, part]) => part !== '' && part !== undefined),
				)
			: entry,
	);
}

/** Several inputs, each one text or (from an expression) a list of them. */
function texts(value: unknown): unknown {
	const list = [value].flat(2);
	return list.filter((entry) => entry !== '' && entry !== undefined && entry !== null);
}

/**
 * A panel value as the field's JSON type, where the conversion is clean: expressions make text of
 * numbers. What is not clean stays as it is, for the check to name.
 */
export function convertValue(value: unknown, field: Field): unknown {
	const text = typeof value === 'string' ? value.trim() : value;
	switch (field.type) {
		case 'integer':
		case 'number':
			return typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
		case 'boolean':
			return text === 'true' ? true : text === 'false' ? false : text;
		case 'links':
			return texts(
				[value].flat(2).map((entry) => (typeof entry === 'string' ? entry.trim() : entry)),
			);
		case 'texts':
			return texts(value);
		case 'objects':
			return entries(value);
		case 'object':
			return parsed(value);
		case 'link':
			return text;
		case 'string':
			return typeof value === 'number' ? String(value) : value;
	}
}

const isEmpty = (value: unknown) =>
	value === undefined ||
	value === null ||
	value === '' ||
	(Array.isArray(value) && value.length === 0);

/**
 * The request body (without `model`) that the panel means for this model: only fields the panel
 * offers and the user set. An action that is the model's default is left to the gateway.
 */
export function readPanel(spec: ModelSpec, { top, additionalFields }: PanelValues): RequestBody {
	const action = toText(isEmpty(top.action) ? spec.actions[0] : top.action);
	const body: RequestBody = {};
	const fields: Record<string, Field> = { ...spec.fields, extra: EVERY_REQUEST.extra };
	for (const [name, field] of Object.entries(fields)) {
		if (name !== 'extra' && !isVisible(spec, name, action)) continue;
		const raw = isPrimary(spec, name) ? top[name] : additionalFields[name];
		if (isEmpty(raw) || (name === 'action' && raw === field.default)) continue;
		const value = convertValue(raw, field);
		if (!isEmpty(value)) body[name] = value;
	}
	const withAssets = addPickedAssets(spec, body, additionalFields);
	return spec.open ? withExtraBody(withAssets, top.extra_body) : withAssets;
}

/** `extra_body` adds what no field of the panel says; the model and the fields set in the panel win. */
function withExtraBody(body: RequestBody, extra: unknown): RequestBody {
	const more = parsed(extra);
	if (isEmpty(more)) return body;
	if (!isObject(more)) return { ...body, extra_body: more };
	const merged: RequestBody = { ...more, ...body };
	delete merged.model;
	return merged;
}
