import type { INodeProperties } from 'n8n-workflow';
import type { Operation } from './operation';

/** One operation as the menu shows it. */
interface MenuEntry {
	name: string;
	description: string;
	/** In n8n's node panel. Default: the name in sentence case. */
	action?: string;
	/** Of a new node. Otherwise the first one. */
	isDefault?: true;
	operation: Operation;
}

/** The operations of a resource by value, in the order of the menu. */
export type Resource = Record<string, MenuEntry>;

const toSentenceCase = (name: string): string => name.charAt(0) + name.slice(1).toLowerCase();

/** The Operation menu of a resource. */
export function operationProperty([resource, operations]: [string, Resource]): INodeProperties {
	const names = Object.keys(operations);
	const first = names.find((name) => operations[name]!.isDefault) ?? names[0]!;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: Object.entries(operations).map(([operation, { name, action, description }]) => ({
			name,
			value: operation,
			action: action ?? toSentenceCase(name),
			description,
		})),
		default: first,
	};
}

/**
 * The panels of all operations, shown under their resource and operation. Operations with the same collection share
 * one property. n8n's editor empties a collection when a parameter changes that its conditions name. It does not
 * notice a path like `/resource`. So a shared collection has the path of what can change while it is shown.
 */
export function panelsOf(resources: Record<string, Resource>): INodeProperties[] {
	const panels: { property: INodeProperties; uses: [string, string][] }[] = [];
	for (const [resource, operations] of Object.entries(resources))
		for (const [name, { operation }] of Object.entries(operations)) {
			// From last to first: each property goes before the one that follows it.
			let next = panels.length;
			for (const property of [...operation.properties].reverse()) {
				const shared = panels.findIndex((panel) => panel.property === property);
				const isShared = shared >= 0 && /collection$/i.test(property.type);
				if (isShared) next = shared;
				else panels.splice(next, 0, { property, uses: [] });
				panels[next]!.uses.push([resource, name]);
			}
		}
	return panels.map(({ property, uses }) => {
		const resource = [...new Set(uses.map(([value]) => value))];
		const operation = [...new Set(uses.map(([, value]) => value))];
		const place =
			resource.length > 1
				? { '/resource': resource, operation }
				: { resource, [operation.length > 1 ? '/operation' : 'operation']: operation };
		const { displayOptions } = property;
		const show = { ...place, ...displayOptions?.show };
		return { ...property, displayOptions: { ...displayOptions, show } };
	});
}
