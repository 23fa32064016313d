import type {
	IBinaryData,
	IBinaryKeyData,
	IConnections,
	IDataObject,
	INode,
	NodeConnectionType,
} from 'n8n-workflow';

import { ITEMS_TYPE } from './harnessNodes';
import type { WorkflowJson } from './options';

/** A node of a linear workflow. A credential may be given by the name of its type alone. */
export interface NodeSpec extends Partial<Omit<INode, 'credentials' | 'type'>> {
	type: string;
	credentials?: INode['credentials'] | string;
	/** Nodes that plug into this one from below, by connection type, e.g. `{ ai_tool: [{ type: … }] }`. */
	subNodes?: Partial<Record<NodeConnectionType, NodeSpec[]>>;
}

/** An item as a test writes it: json, and files from `file()`. */
export interface GivenItem {
	json: IDataObject;
	binary?: IBinaryKeyData;
}

/**
 * A workflow in which each node feeds the next. The name of a node is the last part of its type,
 * with a number if it is taken, unless the node says its name.
 */
export function linear(...specs: NodeSpec[]): WorkflowJson {
	const nodes: INode[] = [];
	const connections: IConnections = {};
	let previous: string | undefined;
	for (const spec of specs) {
		const name = add(spec, nodes, connections);
		if (previous !== undefined) connect(connections, previous, name, 'main');
		previous = name;
	}
	return { nodes, connections, settings: { executionOrder: 'v1' } };
}

/** A first node that emits these items; files of theirs are stored as if a user had uploaded them. */
export function itemsNode(items: Array<GivenItem | IDataObject>, name = 'Items'): NodeSpec {
	const given = items.map((item) => (isItem(item) ? item : { json: item }));
	return { type: ITEMS_TYPE, name, parameters: { items: given as never } };
}

/** A file for an item of `itemsNode`. */
export function file(content: Buffer | string, fileName: string, mimeType: string): IBinaryData {
	return { data: Buffer.from(content).toString('base64'), fileName, mimeType };
}

function add(spec: NodeSpec, nodes: INode[], connections: IConnections): string {
	const { subNodes = {}, credentials, ...rest } = spec;
	const name = spec.name ?? findFreeName(spec.type, nodes);
	nodes.push({
		id: `node-${nodes.length + 1}`,
		typeVersion: 1,
		position: [nodes.length * 200, 0],
		parameters: {},
		...rest,
		name,
		...(credentials !== undefined && { credentials: nameNode(credentials) }),
	});
	for (const [kind, plugged] of Object.entries(subNodes) as Array<
		[NodeConnectionType, NodeSpec[]]
	>) {
		for (const subNode of plugged)
			connect(connections, add(subNode, nodes, connections), name, kind);
	}
	return name;
}

function connect(
	connections: IConnections,
	from: string,
	to: string,
	type: NodeConnectionType,
): void {
	const outputs = ((connections[from] ??= {})[type] ??= [[]]);
	outputs[0]?.push({ node: to, type, index: 0 });
}

function findFreeName(type: string, nodes: INode[]): string {
	const base = type.slice(type.lastIndexOf('.') + 1);
	const taken = (name: string) => nodes.some((node) => node.name === name);
	let name = base;
	for (let number = 1; taken(name); number++) name = `${base}${number}`;
	return name;
}

function nameNode(credentials: NonNullable<NodeSpec['credentials']>): INode['credentials'] {
	return typeof credentials === 'string'
		? { [credentials]: { id: '1', name: credentials } }
		: credentials;
}

function isItem(item: GivenItem | IDataObject): item is GivenItem {
	return typeof item.json === 'object' && item.json !== null;
}
