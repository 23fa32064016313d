import path from 'node:path';
import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';
import manifest from '../../package.json';

type Options = NonNullable<INodeProperties['options']>;

interface Found {
	/** With its collection, e.g. `options.timeout`. */
	name: string;
	/** Where it is shown. Empty: everywhere. */
	resources: string[];
	default: unknown;
}

function find(properties: Options, prefix = '', inherited: string[] = []): Found[] {
	return properties.flatMap((property) => {
		if ('type' in property && property.type === 'notice') return [];
		const shown = 'type' in property ? property.displayOptions?.show?.resource : undefined;
		const resources = (shown as string[] | undefined) ?? inherited;
		const name = `${prefix}${property.name}`;
		if ('values' in property) return find(property.values, `${name}.`, resources);
		if (!('type' in property)) return [];
		const isCollection = /collection/i.test(property.type);
		const inside = isCollection ? find(property.options ?? [], `${name}.`, resources) : [];
		return [{ name, resources, default: property.default }, ...inside];
	});
}

/** A list of models starts at one of them. */
const describe = (value: unknown): string =>
	typeof value === 'object' && value && 'mode' in value && 'value' in value
		? `${String(value.mode)} ${JSON.stringify(value.value)}`
		: JSON.stringify(value);

/** E.g. `"create" (asset, embedding) | "submit" (task)`. */
function describeDefaults(found: readonly Found[]): string {
	const byDefault = new Map<string, Set<string>>();
	for (const { default: value, resources } of found) {
		const text = describe(value);
		byDefault.set(text, new Set([...(byDefault.get(text) ?? []), ...resources]));
	}
	const texts = [...byDefault].map(([text, resources]) =>
		resources.size ? `${text} (${[...resources].sort().join(', ')})` : text,
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
