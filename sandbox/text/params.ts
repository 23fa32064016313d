import { HttpError } from '../httpError';
import { defaultSettings, type Body, type Settings } from '../settings';
import type { Check } from '../rules/checks';

const CONTEXT = { settings: defaultSettings(), hasCompleted: () => false };

export const isObject = (value: unknown): value is Body =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Checks the parameters of section 2.5 by type and range. Parameters that the
 * spec does not list pass: only the task endpoint refuses those.
 */
export function checkParams(body: Body, checks: Record<string, Check>, prefix = ''): void {
	for (const [field, check] of Object.entries(checks)) {
		const value = body[field];
		if (value === undefined || value === null) continue;
		const fault = check(value, CONTEXT);
		if (fault !== undefined)
			throw new HttpError(400, `${prefix}${field} ${fault}.`, `${prefix}${field}`);
	}
}

/** A string or a list of strings, at most `max` of them. */
export const stops =
	(max: number): Check =>
	(value) => {
		const list = typeof value === 'string' ? [value] : value;
		if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) {
			return 'must be a string or an array of strings';
		}
		return list.length > max ? `must have at most ${max} sequences` : undefined;
	};

export function checkModel(model: unknown, accepted: string[], settings: Settings): string {
	if (typeof model !== 'string' || model === '')
		throw new HttpError(400, 'model is required.', 'model');
	if (!accepted.includes(model) && !settings.extraTextModels.includes(model)) {
		throw new HttpError(400, `The model ${model} is not available on this endpoint.`, 'model');
	}
	return model;
}

export function checkList(value: unknown, field: string): unknown[] {
	if (!Array.isArray(value) || value.length === 0) {
		throw new HttpError(400, `${field} is required and must be a non-empty array.`, field);
	}
	return value;
}

export function charge(settings: Settings): void {
	if (settings.quotaExhausted) throw new HttpError(402, 'The balance does not cover this request.');
}
