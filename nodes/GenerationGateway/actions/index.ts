import type { INodeProperties } from 'n8n-workflow';
import { operationProperty, panelsOf, type Resource } from '../menu';
import type { Operation } from '../operation';
import { asset } from './asset';
import { audio } from './audio';
import { embedding } from './embedding';
import { image } from './image';
import { model } from './model';
import { task } from './task';
import { text } from './text';
import { video } from './video';

/** The whole menu, most used first. n8n lists the actions in this order. */
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

/** Undefined when the menu has no such entry. */
export function findOperation(resource: string, operation: string): Operation | undefined {
	const found = resources.find(({ value }) => value === resource);
	return found && Object.hasOwn(found.operations, operation)
		? found.operations[operation]?.operation
		: undefined;
}

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
	...panelsOf(resources),
];
