import { LoadOptionsContext } from 'n8n-core';
import { UserError } from 'n8n-workflow';
import type { INode, INodeListSearchResult, INodePropertyOptions, INodeType } from 'n8n-workflow';

import { linear } from './builder';
import type { NodeSpec } from './builder';
import { prepareExecution } from './execution';
import type { EngineOptions } from './options';

/** What the editor shows in a resource locator's list when it calls `methods.listSearch[method]` of a node. */
export async function searchList(
	spec: NodeSpec,
	method: string,
	search: { filter?: string; paginationToken?: string } = {},
	options: EngineOptions = {},
): Promise<INodeListSearchResult> {
	const { type, context } = createEditor(spec, options);
	const found = type.methods?.listSearch?.[method];
	if (found === undefined) throw new UserError(`The node has no list "${method}"`);
	return await found.call(context, search.filter, search.paginationToken);
}

/** What the editor shows in a dropdown when it calls `methods.loadOptions[method]` of a node. */
export async function loadOptions(
	spec: NodeSpec,
	method: string,
	options: EngineOptions = {},
): Promise<INodePropertyOptions[]> {
	const { type, context } = createEditor(spec, options);
	const found = type.methods?.loadOptions?.[method];
	if (found === undefined) throw new UserError(`The node has no options "${method}"`);
	return await found.call(context);
}

function createEditor(
	spec: NodeSpec,
	options: EngineOptions,
): { type: INodeType; context: LoadOptionsContext } {
	const { workflow, additionalData } = prepareExecution(linear(spec), options);
	const [node] = Object.values(workflow.nodes) as [INode];
	const type = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
	const editor = {
		...additionalData,
		executionId: undefined,
		currentNodeParameters: node.parameters,
	};
	return { type, context: new LoadOptionsContext(workflow, node, editor, '') };
}
