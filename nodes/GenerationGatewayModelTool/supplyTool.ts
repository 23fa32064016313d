import { NodeConnectionTypes, type IDataObject, type ISupplyDataFunctions } from 'n8n-workflow';
import type { z } from 'zod';
import { isRecord } from '../catalog/json';
import { createNodeError } from '../n8n/items/failure';
import { callTool } from './callTool';
import { readModelTool, type ModelTool } from './modelTool';

/** What LangChain and n8n know a tool by; packages of the community cannot load LangChain's own class. */
export interface SuppliedTool {
	name: string;
	description: string;
	schema: z.AnyZodObject;
	lc_namespace: string[];
	returnDirect: false;
	metadata: IDataObject;
	invoke(input: unknown): Promise<string>;
	/** The name by which agents that stream know it. */
	call(input: unknown): Promise<string>;
}

/** The arguments: alone, or in the call as LangChain passes it on. */
function readArguments(input: unknown): IDataObject {
	if (typeof input === 'string') return { prompt: input };
	if (!isRecord(input)) return {};
	return (input.type === 'tool_call' && isRecord(input.args) ? input.args : input) as IDataObject;
}

/** n8n's MCP server marks an answer as an error by these words; n8n's own tools begin with them as well. */
const FAILED = 'There was an error: ';
const toText = (answer: IDataObject): string =>
	`${'error' in answer ? FAILED : ''}${JSON.stringify(answer)}`;

/** The tool as an object that an agent calls; each call shows in the run of the node. */
export function supplyTool(context: ISupplyDataFunctions, itemIndex: number): SuppliedTool {
	const tool = readModelTool(context, itemIndex);
	const invoke = async (input: unknown) =>
		toText(await callAndShow(context, tool, readArguments(input), itemIndex));
	return {
		name: tool.name,
		description: tool.description,
		schema: tool.schema,
		lc_namespace: ['langchain', 'tools'],
		returnDirect: false,
		metadata: {},
		invoke,
		call: invoke,
	};
}

/** Each call is a run of the node of its own, as one that n8n makes for an agent is. */
async function callAndShow(
	context: ISupplyDataFunctions,
	tool: ModelTool,
	given: IDataObject,
	itemIndex: number,
): Promise<IDataObject> {
	const type = NodeConnectionTypes.AiTool;
	const runIndex = context.getNextRunIndex();
	const run = context.cloneWith({ runIndex, inputData: [[{ json: given }]] });
	try {
		const answer = await callTool(run, tool, given, itemIndex);
		run.addOutputData(type, runIndex, [[{ json: { response: answer } }]]);
		return answer;
	} catch (error) {
		const failure = createNodeError(context.getNode(), error);
		run.addOutputData(type, runIndex, failure);
		throw failure;
	}
}
