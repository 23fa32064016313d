import path from 'node:path';
import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';
import manifest from '../../package.json';

type Options = NonNullable<INodeProperties['options']>;

/** With what is in collections, e.g. `options.timeout`. */
const pathsOf = (properties: Options, prefix = ''): string[] =>
	properties.flatMap((property) => {
		if ('type' in property && property.type === 'notice') return [];
		const name = `${prefix}${property.name}`;
		if ('values' in property) return pathsOf(property.values, `${name}.`);
		const isCollection = 'type' in property && /collection/i.test(property.type);
		return [name, ...(isCollection ? pathsOf(property.options ?? [], `${name}.`) : [])];
	});

/** The names under which n8n stores the values of each node and credential. */
export function parameterNames(): Record<string, string[]> {
	const files = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
	const all = files.map((file) => {
		const name = path.basename(file).split('.')[0]!;
		const source = file.replace(/^dist\//, '').replace(/\.js$/, '');
		const exported = jest.requireActual<Record<string, new () => INodeType | ICredentialType>>(
			path.join('..', '..', source),
		);
		const made = new exported[name]!();
		const { properties } = 'description' in made ? made.description : made;
		return [name, [...new Set(pathsOf(properties))].sort()] as const;
	});
	return Object.fromEntries(all);
}
