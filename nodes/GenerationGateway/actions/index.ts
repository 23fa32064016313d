import { NodeOperationError, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import { getOwn } from '../../catalog/json';
import { toTitle } from '../../catalog/labels';
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
export const resources: Record<string, Resource> = {
	image,
	video,
	text,
	audio,
	task,
	asset,
	embedding,
	model,
};

/** The operation that the node is set to. */
export function operationOf(context: IExecuteFunctions): Operation {
	const resource = String(context.getNodeParameter('resource', 0));
	const name = String(context.getNodeParameter('operation', 0));
	const { operation } = getOwn(getOwn(resources, resource) ?? {}, name) ?? {};
	if (operation) return operation;
	throw new NodeOperationError(
		context.getNode(),
		`The menu has no operation "${name}" for "${resource}"`,
		{ description: 'Choose Resource and Operation again.' },
	);
}

export const properties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: Object.keys(resources).map((value) => ({ name: toTitle(value), value })),
		default: 'image',
	},
	...Object.entries(resources).map(operationProperty),
	...panelsOf(resources),
];
