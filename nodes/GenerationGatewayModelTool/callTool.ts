import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { submit } from '../GenerationGateway/actions/task/submit.operation';
import { route } from '../GenerationGateway/router';
import { omitUnsupported } from '../GenerationGateway/tasks/parameters';
import { isBlank } from '../catalog/json';
import { servedSpecs } from '../catalog/modelSpec';
import type { RequestBody } from '../catalog/rules';
import { describeUnknownField } from '../catalog/validate';
import { ItemReader, type NodeContext } from '../n8n/itemReader';
import { toBody, type ModelTool } from './modelTool';

/** Where somebody runs the tool without an agent. */
const TRY = 'To try the tool without an agent, put the fields into Fixed Fields.';

/** Calls the tool as the only item of Task > Submit. Returns what the agent reads: the task, or what was wrong. */
export async function callTool(
	context: NodeContext,
	tool: ModelTool,
	given: RequestBody,
	itemIndex: number,
): Promise<IDataObject> {
	const { rawOptions } = new ItemReader(context, itemIndex);
	const parameters: IDataObject = {
		model: tool.model,
		parameters: toBody(tool, given) as IDataObject,
		wait: tool.wait,
		// The agent sees the fields of the chosen model only, and gets links: files would go nowhere.
		options: { ...rawOptions, [omitUnsupported.name]: true, output: 'links' },
	};
	const node = context as IExecuteFunctions;
	const [[output] = []] = await route(node, submit, {
		count: 1,
		read: (index) => {
			const item = new ItemReader(node, index, parameters);
			for (const message of describeUnoffered(tool, given)) item.addIssue('parameters', message);
			return item;
		},
		continuesOnFail: true,
	});
	const answer = output?.json ?? {};
	const isEmpty = Object.values(given).every(isBlank) && !Object.keys(tool.fixed).length;
	if (!answer.error || !isEmpty) return answer;
	node.addExecutionHints?.({ message: TRY, location: 'outputPane' });
	return { ...answer, message: `${answer.message} ${TRY}` };
}

/**
 * What the check of the request would let through or drop: fields of every request, e.g. a callback, and where a
 * fallback replaces the model, fields that only the model takes.
 */
function describeUnoffered(
	{ model, spec, schema, fixed }: ModelTool,
	given: RequestBody,
): string[] {
	const isOther = (name: string) =>
		spec.id === model || spec.open ? name in (spec.everyRequest ?? {}) : !(name in spec.fields);
	return Object.keys(given)
		.filter((name) => !isBlank(given[name]) && isOther(name))
		.filter((name) => !(name in schema.shape) && !(name in fixed))
		.map((name) => describeUnknownField(spec, name));
}

/** The file fields of all models: to ignore one would pay for something else than the agent asked for. */
const FILE_FIELDS = servedSpecs.flatMap(({ fields }) =>
	Object.keys(fields).filter((name) => fields[name]!.media),
);

/** n8n runs the tool on the agent's item, with the arguments among its fields. Only $fromAI tells them apart. */
export function readCall(
	context: IExecuteFunctions,
	{ schema }: ModelTool,
	itemIndex: number,
): RequestBody {
	const names = [...new Set([...Object.keys(schema.shape), ...FILE_FIELDS])];
	const { $fromAI } = context.getWorkflowDataProxy(itemIndex) as unknown as {
		$fromAI: (name: string) => unknown;
	};
	return Object.fromEntries(names.map((name) => [name, $fromAI(name)]));
}
