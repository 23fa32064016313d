import {
	nodeNameToToolName,
	NodeOperationError,
	type IExecuteFunctions,
	type ISupplyDataFunctions,
} from 'n8n-workflow';
import type { z } from 'zod';
import { getLabel } from '../catalog/labels';
import { describePrice } from '../catalog/modelList';
import { getModelSpec, type ModelSpec } from '../catalog/modelSpec';
import type { RequestBody } from '../catalog/rules';
import { validate } from '../catalog/validate';
import { ItemReader } from '../n8n/itemReader';
import { readModel } from '../n8n/modelParameter';
import { convertValue } from '../n8n/panel/readPanel';
import { createToolArguments } from '../n8n/toolArguments';
import { fixedFields, toolDescription } from './properties';

type ToolContext = IExecuteFunctions | ISupplyDataFunctions;

/** One model as a tool: what the agent sees of it, and what is set for it. */
export interface ModelTool {
	name: string;
	description: string;
	schema: z.AnyZodObject;
	spec: ModelSpec;
	fixed: RequestBody;
}

/** Rules that hold whatever the agent sets say nothing to it when their fields are fixed. */
function listRules({ rules }: ModelSpec, fixed: RequestBody): string[] {
	const sentences = rules
		.filter(
			({ when }) => !('action' in fixed) || (when.action?.includes(String(fixed.action)) ?? true),
		)
		.map(({ description }) => description);
	return [...new Set(sentences)];
}

function describeTool(spec: ModelSpec, fixed: RequestBody, description: string): string {
	const media = spec.media ?? 'image or video';
	const purpose =
		description ||
		`Makes ${/^[aeiou]/.test(media) ? 'an' : 'a'} ${media} with the model ${spec.id}. ${describePrice(spec.price)}.`;
	const rules = listRules(spec, fixed);
	return [
		purpose,
		'Gives links to the results, the task ID and the cost; a refused call costs nothing and says what to change.',
		...(rules.length ? [`Rules: ${rules.join('. ')}.`] : []),
	].join(' ');
}

/** Fixed fields that the model refuses: the agent could not mend them. */
function assertFixedFields(context: ToolContext, spec: ModelSpec, fixed: RequestBody): void {
	const problems = validate(spec, fixed).issues.filter(
		({ field }) => field in fixed || field === 'model',
	);
	if (!problems.length) return;
	throw new NodeOperationError(
		context.getNode(),
		`${fixedFields.property.displayName}: ${problems.map(({ message }) => message).join('. ')}`,
	);
}

/** n8n offers to let the agent fill any parameter of a tool: here that would be the limits and what is fixed. */
function assertSetByUser(context: ToolContext): void {
	const { parameters } = context.getNode();
	const filled = Object.keys(parameters).find((name) =>
		JSON.stringify(parameters[name]).includes('$fromAI'),
	);
	if (filled === undefined) return;
	throw new NodeOperationError(
		context.getNode(),
		`The agent must not fill ${getLabel(filled, undefined)} of this tool`,
		{
			description:
				'It fills the fields of the model by itself. Take $fromAI out, or use the Generation Gateway node as a tool.',
		},
	);
}

/** Reads the tool that the node stands for; refuses what the user set and the model does not take. */
export function readModelTool(context: ToolContext, itemIndex: number): ModelTool {
	assertSetByUser(context);
	const item = new ItemReader(context, itemIndex);
	const spec = getModelSpec(readModel(item));
	const fixed = item.parameter(fixedFields) ?? {};
	const description = item.parameter(toolDescription);
	item.assertValid();
	assertFixedFields(context, spec, fixed);
	return {
		name: nodeNameToToolName(context.getNode()),
		description: describeTool(spec, fixed, description),
		schema: createToolArguments(spec, fixed),
		spec,
		fixed,
	};
}

/** Agents send null or an empty text for what they leave out. */
const isOmitted = (value: unknown) => value === undefined || value === null || value === '';

/** The request of a call: the arguments in the types of the model, and the fixed fields, which win. */
export function toBody({ spec, fixed }: ModelTool, given: RequestBody): RequestBody {
	const body: RequestBody = {};
	for (const [name, value] of Object.entries(given)) {
		if (isOmitted(value)) continue;
		const field = Object.hasOwn(spec.fields, name) ? spec.fields[name] : undefined;
		body[name] = field ? convertValue(value, field) : value;
	}
	return { ...body, ...fixed };
}
