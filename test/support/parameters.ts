import path from 'node:path';
import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';
import manifest from '../../package.json';

type Options = NonNullable<INodeProperties['options']>;

interface Found {
	/** With its collection, e.g. `options.timeout`. */
	name: string;
	/** Resources and operations that show it, e.g. `text:chat`. Empty: all. */
	places: string[];
	default: unknown;
}

function placesOf({ displayOptions }: INodeProperties): string[] {
	const { resource = [], operation = [] } = (displayOptions?.show ?? {}) as Record<
		string,
		string[]
	>;
	return resource.flatMap((name) =>
		operation.length ? operation.map((of) => `${name}:${of}`) : [name],
	);
}

function find(properties: Options, prefix = '', inherited: string[] = []): Found[] {
	return properties.flatMap((property) => {
		if ('type' in property && property.type === 'notice') return [];
		const places = 'type' in property ? placesOf(property) : [];
		const shown = places.length ? places : inherited;
		const name = `${prefix}${property.name}`;
		if ('values' in property) return find(property.values, `${name}.`, shown);
		if (!('type' in property)) return [];
		const isCollection = /collection/i.test(property.type);
		const inside = isCollection ? find(property.options ?? [], `${name}.`, shown) : [];
		return [{ name, places: shown, default: property.default }, ...inside];
	});
}

/** A list of models starts at one of them. */
const show = (value: unknown): string =>
	typeof value === 'object' && value && 'mode' in value && 'value' in value
		? `${String(value.mode)} ${JSON.stringify(value.value)}`
		: JSON.stringify(value);

/** E.g. `"files" (task:get, task:await) | "both" (task:submit)`. */
function describeDefaults(found: readonly Found[]): string {
	const byDefault = new Map<string, Set<string>>();
	for (const { default: value, places } of found) {
		const text = show(value);
		byDefault.set(text, new Set([...(byDefault.get(text) ?? []), ...places]));
	}
	const texts = [...byDefault].map(([text, places]) =>
		places.size ? `${text} (${[...places].sort().join(', ')})` : text,
	);
	return texts.sort().join(' | ');
}

/** The names under which n8n stores the values of each node and credential, and their defaults, which it does not store. */
export function storedParameters(): Record<string, Record<string, string>> {
	const files = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
	const all = files.map((file) => {
		const name = path.basename(file).split('.')[0]!;
		const source = file.replace(/^dist\//, '').replace(/\.js$/, '');
		const exported = jest.requireActual<Record<string, new () => INodeType | ICredentialType>>(
			path.join('..', '..', source),
		);
		const made = new exported[name]!();
		const { properties } = 'description' in made ? made.description : made;
		const found = find(properties);
		const names = [...new Set(found.map((property) => property.name))].sort();
		const defaults = names.map((of) => [
			of,
			describeDefaults(found.filter((property) => property.name === of)),
		]);
		return [name, Object.fromEntries(defaults) as Record<string, string>] as const;
	});
	return Object.fromEntries(all);
}
