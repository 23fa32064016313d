import { NodeConnectionTypes, type IDataObject, type ISupplyDataFunctions } from 'n8n-workflow';
import { isObject } from '../catalog/json';
import { createNodeError } from '../n8n/items/failure';
import { callTool } from './callTool';
import { readModelTool } from './modelTool';

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

/** A tool with the interface of LangChain's, whose class a community package cannot load. Each call shows as a run. */
export function supplyTool(context: ISupplyDataFunctions, itemIndex: number) {
	const tool = readModelTool(context, itemIndex);
	const { name, description, schema } = tool;
	const invoke = async (input: unknown): Promise<string> => {
		const given = readArguments(input);
		const runIndex = context.getNextRunIndex();
		const run = context.cloneWith({ runIndex, inputData: [[{ json: given }]] });
		const type = NodeConnectionTypes.AiTool;
		try {
			const answer = await callTool(run, tool, given, itemIndex);
			run.addOutputData(type, runIndex, [[{ json: { response: answer } }]]);
			return toText(answer);
		} catch (error) {
			const failure = createNodeError(context.getNode(), error);
			run.addOutputData(type, runIndex, failure);
			throw failure;
		}
	};
	return {
		name,
		description,
		schema,
		lc_namespace: ['langchain', 'tools'],
		returnDirect: false,
		// n8n 2.20 sets it on tools of LangChain's own class only. Without it, a review lets no call through.
		metadata: { sourceNodeName: context.getNode().name },
		invoke,
		/** Agents that stream call it by this name. */
		call: invoke,
	};
}
