/** Whether the value is a JSON object, not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A date, of JavaScript or of an expression. */
export const isDate = (value: unknown): boolean =>
	isObject(value) && typeof value.toJSON === 'function';

/** A value as text; an object as JSON, since it may have no text: `{ "toString": 5 }`. A date in ISO 8601. */
export const toText = (value: unknown): string => {
	if (typeof value !== 'object' || value === null) return String(value);
	const json = JSON.stringify(value);
	return isDate(value) ? String(JSON.parse(json)) : json;
};

/** Nothing, or an empty text. */
export const isBlank = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

/** A value by a key that a user chose, e.g. `constructor`. */
export const getOwn = <Kept>(
	record: Readonly<Record<string, Kept>>,
	name: string,
): Kept | undefined => (Object.hasOwn(record, name) ? record[name] : undefined);
