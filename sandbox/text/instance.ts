import { isObject } from './params';

/** A value that satisfies the common part of a JSON schema; texts become `text`. */
export function createInstance(schema: unknown, text: string): unknown {
	if (!isObject(schema)) return text;
	if (schema.const !== undefined) return schema.const;
	if (Array.isArray(schema.enum)) return schema.enum[0];
	const choice = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray) as
		unknown[] | undefined;
	if (choice !== undefined) return createInstance(choice[0], text);
	const type = Array.isArray(schema.type) ? (schema.type as unknown[])[0] : schema.type;
	if (type === 'object' || isObject(schema.properties)) return createObject(schema, text);
	if (type === 'array') return [createInstance(schema.items, text)];
	if (type === 'number' || type === 'integer')
		return typeof schema.minimum === 'number' ? schema.minimum : 1;
	if (type === 'boolean') return true;
	return type === 'null' ? null : text;
}

function createObject(schema: Record<string, unknown>, text: string): Record<string, unknown> {
	const properties = isObject(schema.properties) ? schema.properties : {};
	const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
	const names = required.length > 0 ? required : Object.keys(properties);
	return Object.fromEntries(names.map((name) => [name, createInstance(properties[name], text)]));
}
