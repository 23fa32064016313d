import { NodeConnectionTypes, NodeHelpers, UserError } from 'n8n-workflow';
import type { IDataObject, INodeType, INodeTypes, IVersionedNodeType } from 'n8n-workflow';

import { harnessNodes } from './harnessNodes';
import { installedNode } from './packages';

const TOOL_SUFFIX = /Tool$/;

type AnyNodeType = INodeType | IVersionedNodeType;

/** Node types by full name: those handed in first, then the harness's own, then n8n's installed packages. */
export class EngineNodeTypes implements INodeTypes {
	private readonly loaded = new Map<string, AnyNodeType>();
	private readonly tools = new Map<INodeType, INodeType>();

	constructor(ownNodeTypes: Record<string, AnyNodeType>) {
		for (const [name, type] of Object.entries({ ...harnessNodes, ...ownNodeTypes }))
			this.loaded.set(name, type);
	}

	getByName(typeName: string): AnyNodeType {
		const found = this.find(typeName) ?? this.find(typeName.replace(TOOL_SUFFIX, ''));
		if (found === undefined) {
			throw new UserError(`Unknown node type "${typeName}": hand it to runWorkflow in nodeTypes`);
		}
		return found;
	}

	getByNameAndVersion(typeName: string, version?: number): INodeType {
		const node = NodeHelpers.getVersionedNodeType(this.getByName(typeName), version);
		return this.find(typeName) === undefined ? this.asTool(node) : node;
	}

	getKnownTypes(): IDataObject {
		return {};
	}

	private find(typeName: string): AnyNodeType | undefined {
		const known = this.loaded.get(typeName) ?? (installedNode(typeName) as AnyNodeType | undefined);
		if (known !== undefined) this.loaded.set(typeName, known);
		return known;
	}

	private asTool(node: INodeType): INodeType {
		const tool = this.tools.get(node) ?? createTool(node);
		this.tools.set(node, tool);
		return tool;
	}
}

/** As n8n does: the type `<type>Tool` is the node `<type>` made a tool for agents, if its version allows that. */
function createTool(base: INodeType): INodeType {
	if (!base.description.usableAsTool) {
		throw new UserError(`The node "${base.description.displayName}" is not usable as a tool`);
	}
	const tool = Object.create(base) as INodeType;
	tool.description = {
		...base.description,
		name: `${base.description.name}Tool`,
		displayName: `${base.description.displayName} Tool`,
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
		properties: [
			...base.description.properties,
			{
				displayName: 'Tool Description',
				name: 'descriptionType',
				type: 'options',
				options: [],
				default: 'auto',
			},
			{ displayName: 'Description', name: 'toolDescription', type: 'string', default: '' },
		],
	};
	return tool;
}
