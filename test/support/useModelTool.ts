import { NodeConnectionTypes, type IDataObject } from 'n8n-workflow';
import {
	itemsNode,
	linear,
	runWorkflow,
	type EngineRun,
	type NodeSpec,
} from '../../scripts/engine';
import { TOOL_CALLER_TYPE } from '../../scripts/engine/harnessNodes';
import { typeOf } from '../../scripts/package';
import type { supplyTool } from '../../nodes/GenerationGatewayModelTool/supplyTool';
import { modelId, useGateway, type GatewayFixture } from './gateway';
import { rootOf } from './rootNode';

export type SuppliedTool = ReturnType<typeof supplyTool>;

export const TOOL = 'Draw Cover';
export const AGENT = 'Agent';

export const toolNode = (parameters: IDataObject): NodeSpec => ({
	type: typeOf('generationGatewayModelTool'),
	name: TOOL,
	credentials: 'generationGatewayApi',
	parameters: { model: modelId('imgn-4.0'), ...parameters } as never,
});

/** The answer; n8n's MCP server tells failures by the words before them. */
export function parse(text: string): IDataObject {
	const [, failed, answer] = /^(There was an error: )?([^]*)$/.exec(text)!;
	const read = JSON.parse(answer!) as IDataObject;
	expect('error' in read).toBe(failed !== undefined);
	return read;
}

interface ModelToolFixture {
	gateway: GatewayFixture;
	/** Agents that have n8n run the tool (n8n 2.x): one call after the other, within one execution. */
	runCalls: (parameters: IDataObject, calls: IDataObject[]) => Promise<EngineRun>;
	/** The same calls: their answers. */
	requestCalls: (parameters: IDataObject, calls: IDataObject[]) => Promise<IDataObject[]>;
	/** Agents that call the tool themselves (n8n 1.x, n8n's own): what they do with it. */
	withTool: (
		parameters: IDataObject,
		work: (tool: SuppliedTool) => Promise<IDataObject>,
	) => Promise<EngineRun>;
}

/** A sandbox for one test file, and agents that have a model tool. */
export function useModelTool(): ModelToolFixture {
	const gateway = useGateway();
	const runCalls: ModelToolFixture['runCalls'] = async (parameters, calls) => {
		const agents = calls.map((given, at): NodeSpec => ({
			type: TOOL_CALLER_TYPE,
			name: `${AGENT} ${at}`,
			parameters: { tool: TOOL, arguments: given as never },
			...(at === 0 && { subNodes: { ai_tool: [toolNode(parameters)] } }),
		}));
		return await runWorkflow(linear(itemsNode([{}]), ...agents), gateway.options());
	};
	return {
		gateway,
		runCalls,
		requestCalls: async (parameters, calls) => {
			const run = await runCalls(parameters, calls);
			return calls.flatMap((_given, at) => run.json(`${AGENT} ${at}`) as IDataObject[]);
		},
		withTool: async (parameters, work) => {
			const options = gateway.options();
			return await runWorkflow(
				linear(itemsNode([{}]), {
					type: 'test.agent',
					name: AGENT,
					subNodes: { ai_tool: [toolNode(parameters)] },
				}),
				{
					...options,
					nodeTypes: {
						...options.nodeTypes,
						'test.agent': rootOf(NodeConnectionTypes.AiTool, work as never),
					},
				},
			);
		},
	};
}
