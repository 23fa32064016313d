import type { IDataObject } from 'n8n-workflow';

import { itemsNode, linear } from './builder';
import type { NodeSpec } from './builder';
import { TOOL_CALLER_TYPE } from './harnessNodes';
import type { EngineOptions } from './options';
import type { EngineRun } from './result';
import { runWorkflow } from './run';

/** The node as n8n offers it to agents. */
export const asTool = (node: NodeSpec): NodeSpec => ({ ...node, type: `${node.type}Tool` });

/** Name that the tool node has in the run of `executeAsTool`. */
const TOOL_NODE = 'Tool';

/** Name of the node that plays the agent in the run of `executeAsTool`; its items are the tool's answer. */
export const TOOL_CALLER = 'Tool Caller';

/**
 * Lets an agent call a node as a tool once, the way n8n's AI Agent does: through a request to the engine.
 *
 * @param node the plain node, e.g. type `n8n-nodes-base.httpRequest`; `usableAsTool` makes its tool
 * @param args what the model answered for the node's `$fromAI()` parameters
 */
export async function executeAsTool(
	node: NodeSpec,
	args: IDataObject,
	options: EngineOptions = {},
): Promise<EngineRun> {
	const tool: NodeSpec = { ...asTool(node), name: TOOL_NODE };
	return await runWorkflow(
		linear(itemsNode([{}]), {
			type: TOOL_CALLER_TYPE,
			name: TOOL_CALLER,
			parameters: { tool: TOOL_NODE, arguments: args as never },
			subNodes: { ai_tool: [tool] },
		}),
		options,
	);
}
