/** Whether the value is a JSON object, not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A date, of JavaScript or of an expression, in ISO 8601. Undefined for anything else, and an invalid date. */
export function dateText(value: unknown): string | undefined {
	const json =
		isObject(value) && typeof value.toJSON === 'function' ? (value.toJSON() as unknown) : undefined;
	return typeof json === 'string' ? json : undefined;
}

/** A value as text; an object as JSON, since it may have no text: `{ "toString": 5 }`. */
export const toText = (value: unknown): string =>
	typeof value === 'object' && value !== null
		? (dateText(value) ?? JSON.stringify(value))
		: String(value);

/** Nothing, or an empty text. */
export const isBlank = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

/** A value by a key that a user chose, e.g. `constructor`. */
export const getOwn = <Kept>(
	record: Readonly<Record<string, Kept>>,
	name: string,
): Kept | undefined => (Object.hasOwn(record, name) ? record[name] : undefined);
