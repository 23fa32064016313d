import type { INodeProperties } from 'n8n-workflow';
import { mergeCollections } from '../../n8n/panel/mergeCollections';
import { mergeProperties, withFewConditions, type Place } from '../../n8n/panel/mergeProperties';
import { operationProperty, type Resource } from '../menu';
import type { Operation } from '../operation';
import { asset } from './asset';
import { audio } from './audio';
import { embedding } from './embedding';
import { image } from './image';
import { model } from './model';
import { task } from './task';
import { text } from './text';
import { video } from './video';

/** The whole menu, what people come for first: n8n lists the actions of a node in this order. */
export const resources: readonly Resource[] = [
	image,
	video,
	text,
	audio,
	task,
	asset,
	embedding,
	model,
];

/** The operation behind a menu entry; undefined when the menu has no such entry. */
export function findOperation(resource: string, operation: string): Operation | undefined {
	const found = resources.find(({ value }) => value === resource);
	return found && Object.hasOwn(found.operations, operation)
		? found.operations[operation]?.operation
		: undefined;
}

const places: Place[] = resources.flatMap(({ value, operations }) =>
	Object.keys(operations).map((operation) => ({ resource: value, operation })),
);

/**
 * Whose options are much alike: what submits a task, what deals with a submitted one, what answers with
 * text, and the rest. Options of one name have one default in each, since n8n 1 adds the first of them.
 */
const ALIKE = [
	({ operation }: Place) => operation === 'generate' || operation === 'submit',
	({ resource }: Place) => resource === task.value,
	({ resource }: Place) => resource === text.value,
	() => true,
];

/** Whose messages have the same roles: of fields of one name n8n's builder knows one only. */
const OF_SAME_ROLES = [({ operation }: Place) => operation === 'chat' || operation === 'respond'];

/** The panels of all operations as one list. */
function listPanels(): INodeProperties[] {
	const panels = resources.map(({ operations }) =>
		mergeProperties(
			Object.values(operations).map(({ operation }) => operation.properties),
			'operation',
		),
	);
	const merged = mergeProperties(panels, 'resource');
	const withMessages = mergeCollections(merged, 'messages', OF_SAME_ROLES, places);
	return mergeCollections(withMessages, 'options', ALIKE, places).map((property) =>
		withFewConditions(property, places),
	);
}

/** All properties of the node: the menu, then the panel of each operation. */
export const listProperties = (): INodeProperties[] => [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ displayName, value }) => ({ name: displayName, value })),
		default: 'image',
	},
	...resources.map(operationProperty),
	...listPanels(),
];
