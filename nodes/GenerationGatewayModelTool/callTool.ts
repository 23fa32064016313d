import type { IDataObject, IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';
import { submit } from '../GenerationGateway/actions/task/submit.operation';
import { route } from '../GenerationGateway/router';
import { omitUnsupported } from '../GenerationGateway/tasks/parameters';
import type { RequestBody } from '../catalog/rules';
import { ItemReader } from '../n8n/itemReader';
import { toBody, type ModelTool } from './modelTool';

type ToolContext = IExecuteFunctions | ISupplyDataFunctions;

/**
 * The node's context as Task > Submit reads it, with the call as its only item. Whatever ends the call
 * becomes its answer, so that the agent reads it and goes on.
 */
function toSubmitContext(
	context: ToolContext,
	{ model, wait }: ModelTool,
	body: RequestBody,
	itemIndex: number,
): IExecuteFunctions {
	const item = new ItemReader(context, itemIndex);
	const parameters: IDataObject = {
		model,
		parameters: body as IDataObject,
		wait,
		// The agent sees the fields of the chosen model only, so a fallback does without the others.
		options: { ...item.rawOptions, [omitUnsupported.name]: true },
	};
	const replaced: Partial<IExecuteFunctions> = {
		getNodeParameter: ((name: string, _index: number, fallback?: unknown) =>
			parameters[name] ?? fallback) as IExecuteFunctions['getNodeParameter'],
		getInputData: () => [{ json: {} }],
		continueOnFail: () => true,
	};
	return new Proxy(context as IExecuteFunctions, {
		get(target, name) {
			if (name in replaced) return replaced[name as keyof IExecuteFunctions];
			const value: unknown = Reflect.get(target, name);
			return typeof value === 'function' ? value.bind(target) : value;
		},
	});
}

/** Makes one call of the tool; gives what the agent reads: the task with its links, or what was wrong. */
export async function callTool(
	context: ToolContext,
	tool: ModelTool,
	given: RequestBody,
	itemIndex: number,
): Promise<IDataObject> {
	const body = toBody(tool, given);
	const [[output] = []] = await route(toSubmitContext(context, tool, body, itemIndex), submit);
	return output?.json ?? {};
}

/**
 * The arguments of a call that n8n makes for the agent. It runs the tool on the agent's own item, with the
 * arguments among that item's fields; only $fromAI tells them apart.
 */
export function readCall(
	context: IExecuteFunctions,
	{ schema }: ModelTool,
	itemIndex: number,
): RequestBody {
	const names = Object.keys(schema.shape);
	const { $fromAI } = context.getWorkflowDataProxy(itemIndex) as unknown as {
		$fromAI: (name: string) => unknown;
	};
	return Object.fromEntries(names.map((name) => [name, $fromAI(name)]));
}
