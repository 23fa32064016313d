import type { INodeProperties } from 'n8n-workflow';
import type { Operation } from './operation';

/** One operation as the menu shows it. */
export interface MenuEntry {
	name: string;
	description: string;
	/** How the entry reads in n8n's node panel. */
	action: string;
	operation: Operation;
}

/** One resource of the menu: its operations by their values, in the order of the menu. */
export interface Resource {
	displayName: string;
	value: string;
	/** The operation a new node starts with. */
	default: string;
	operations: Record<string, MenuEntry>;
}

/** The Operation menu of a resource. */
export function operationProperty({
	value,
	operations,
	default: first,
}: Resource): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options: Object.entries(operations).map(([operation, { name, action, description }]) => ({
			name,
			value: operation,
			action,
			description,
		})),
		default: first,
	};
}
