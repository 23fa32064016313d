import { NodeConnectionTypes, type IDataObject, type ISupplyDataFunctions } from 'n8n-workflow';
import type { z } from 'zod';
import { isObject } from '../catalog/json';
import { createNodeError } from '../n8n/items/failure';
import { callTool } from './callTool';
import { readModelTool, type ModelTool } from './modelTool';

/** The interface of a LangChain tool, whose class a community package cannot load. */
export interface SuppliedTool {
	name: string;
	description: string;
	schema: z.AnyZodObject;
	lc_namespace: string[];
	returnDirect: false;
	metadata: IDataObject;
	invoke(input: unknown): Promise<string>;
	/** Agents that stream call it by this name. */
	call(input: unknown): Promise<string>;
}

/** The arguments alone, or in LangChain's tool call. */
function readArguments(input: unknown): IDataObject {
	if (typeof input === 'string') return { prompt: input };
	if (!isObject(input)) return {};
	return (input.type === 'tool_call' && isObject(input.args) ? input.args : input) as IDataObject;
}

/** n8n's MCP server marks such an answer as an error. */
const FAILED = 'There was an error: ';
const toText = (answer: IDataObject): string =>
	`${'error' in answer ? FAILED : ''}${JSON.stringify(answer)}`;

/** A tool that an agent calls. Each call shows as a run of the node. */
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
