export type JsonObject = Record<string, unknown>;

/** Whether the value is a JSON object, not a list. */
export const isObject = (value: unknown): value is JsonObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Nothing, or an empty text. */
export const isBlank = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

/** A value as text; an object as JSON. */
export const toText = (value: unknown): string =>
	typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Text as the JSON value in it; anything else as it is. */
export function parseJson(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch {
		return value;
	}
}

/** Of what is not shown in the spec: a value of a wrong type counts as none. */
export const objectAt = (value: unknown, name: string): JsonObject =>
	isObject(value) && isObject(value[name]) ? value[name] : {};
export const textAt = (value: unknown, name: string): string | undefined =>
	isObject(value) && typeof value[name] === 'string' ? value[name] : undefined;
export const numberAt = (value: unknown, name: string): number | undefined =>
	isObject(value) && typeof value[name] === 'number' ? value[name] : undefined;
export const listAt = (value: unknown, name: string): unknown[] =>
	isObject(value) && Array.isArray(value[name]) ? value[name] : [];

/** Some gateways repeat a value as null or an empty text. */
export const omitBlank = (value: JsonObject): JsonObject =>
	Object.fromEntries(Object.entries(value).filter(([, each]) => !isBlank(each)));

export const pick = (value: JsonObject, names: string[]): JsonObject =>
	Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));
