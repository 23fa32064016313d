import type { INodeProperties } from 'n8n-workflow';
import type { Operation } from './operation';

/** One operation as the menu shows it. */
export interface MenuEntry {
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
 * The panels of all operations, shown under their resource and operation. Operations with the same options
 * share one property: n8n goes through all properties at every keystroke.
 */
export function panelsOf(resources: Record<string, Resource>): INodeProperties[] {
	const panels = new Map<unknown, INodeProperties>();
	for (const [value, operations] of Object.entries(resources))
		for (const [name, { operation }] of Object.entries(operations))
			for (const property of operation.properties) {
				const key = property.type === 'collection' ? property : Symbol();
				const { resource = [], operation: names = [] } =
					panels.get(key)?.displayOptions?.show ?? {};
				const show = {
					resource: [...new Set([...resource, value])],
					operation: [...new Set([...names, name])],
					...property.displayOptions?.show,
				};
				panels.delete(key);
				panels.set(key, { ...property, displayOptions: { ...property.displayOptions, show } });
			}
	return [...panels.values()];
}
