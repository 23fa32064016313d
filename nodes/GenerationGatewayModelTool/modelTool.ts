import { nodeNameToToolName, NodeOperationError } from 'n8n-workflow';
import { getOwn, isBlank } from '../catalog/json';
import { ifAlreadyMade } from '../GenerationGateway/tasks/parameters';
import { toolWaitParameter } from '../GenerationGateway/tasks/waitOptions';
import { describePrice } from '../catalog/modelList';
import { getModelSpec, type ModelSpec } from '../catalog/modelSpec';
import { toFieldsOf } from '../catalog/requestSpec';
import type { RequestBody } from '../catalog/rules';
import type { Rule } from '../catalog/schema';
import { validate } from '../catalog/validate';
import { ItemReader, type NodeContext } from '../n8n/itemReader';
import { readModel } from '../n8n/modelParameter';
import { fallbackModels } from '../n8n/options';
import { convertValue } from '../n8n/panel/readPanel';
import { createToolArguments } from '../n8n/toolArguments';
import { fixedFields, properties, toolDescription } from './properties';

export type ModelTool = ReturnType<typeof readModelTool>;

/** The fields that a rule is about. */
function subjectsOf(rule: Rule): readonly string[] {
	if ('fields' in rule) return rule.fields;
	if ('field' in rule) return [rule.field];
	return 'allOf' in rule ? rule.allOf : rule.anyOf;
}

/** The rules about fields and actions that the agent may choose. */
function listRules({ rules }: ModelSpec, fixed: RequestBody, names: readonly string[]): string[] {
	const isChoosable = ({ action }: Rule['when']) =>
		!('action' in fixed) || !action || action.includes(String(fixed.action));
	const sentences = rules
		.filter(
			(rule) => isChoosable(rule.when) && subjectsOf(rule).some((name) => names.includes(name)),
		)
		.map(({ description }) => description);
	return [...new Set(sentences)];
}

function describeTool(
	spec: ModelSpec,
	fixed: RequestBody,
	names: readonly string[],
	description: string,
	wait: string,
): string {
	const media = spec.media ?? 'image or video';
	const purpose =
		description ||
		`Makes ${/^[aeiou]/.test(media) ? 'an' : 'a'} ${media} with the model ${spec.id}. ${describePrice(spec.price)}.`;
	const rules = listRules(spec, fixed, names);
	const result =
		wait === 'none'
			? 'Gives the task ID at once, before there are links and a cost.'
			: 'Gives links to the results, the task ID and the cost.';
	return [
		purpose,
		result,
		'A refused call costs nothing and says what to change.',
		...(rules.length ? [`Rules: ${rules.join('. ')}.`] : []),
	].join(' ');
}

/** The agent could not correct them. */
function assertFixedFields(context: NodeContext, spec: ModelSpec, fixed: RequestBody): void {
	const { issues } = validate(spec, fixed);
	const problems = issues.filter(({ field }) => field in fixed).map(({ message }) => message);
	if (!problems.length) return;
	throw new NodeOperationError(
		context.getNode(),
		`${fixedFields.property.displayName}: ${problems.join('. ')}`,
	);
}

/** An expression with what an agent can write. n8n 2.x puts the arguments among the fields of the item. */
const FROM_AGENT = /"=(\\.|[^"\\])*(\$fromai|\$json|\$input|\$binary)/i;

/** n8n offers to let the agent fill any parameter. Here that would be the limits. */
function assertSetByUser(context: NodeContext): void {
	const { parameters } = context.getNode();
	const filled = Object.keys(parameters).find((name) =>
		FROM_AGENT.test(JSON.stringify(parameters[name])),
	);
	if (filled === undefined) return;
	throw new NodeOperationError(
		context.getNode(),
		`The agent must not fill ${properties.find(({ name }) => name === filled)?.displayName ?? filled} of this tool`,
		{
			description:
				"It fills the fields of the model anyway. Click × beside “Defined automatically by the model”, or remove $fromAI, $json and $input, which hold what the agent sends. Write what differs from item to item into the agent's prompt. For $fromAI, use the Generation Gateway node as a tool.",
		},
	);
}

/** Reads the tool. Throws for fixed fields that the model does not take. */
export function readModelTool(context: NodeContext, itemIndex: number) {
	assertSetByUser(context);
	const item = new ItemReader(context, itemIndex);
	const model = readModel(item, 'image', 'video');
	const [fallback] = item.option(fallbackModels);
	const isReplaced = fallback !== undefined && getModelSpec(model).deprecated !== undefined;
	const spec = getModelSpec(isReplaced ? fallback : model);
	const fixed = toFieldsOf(spec, spec, item.parameter(fixedFields) ?? {});
	const description = item.parameter(toolDescription);
	const wait = item.parameter(toolWaitParameter);
	item.option(ifAlreadyMade);
	item.assertValid();
	assertFixedFields(context, spec, fixed);
	const schema = createToolArguments(spec, fixed);
	return {
		name: nodeNameToToolName(context.getNode()),
		description: describeTool(spec, fixed, Object.keys(schema.shape), description, wait),
		schema,
		/** Chosen by the user. */
		model,
		/** Of the model, or of the first fallback where it is no longer served. */
		spec,
		fixed,
		/** `poll` or `none`, as of Task > Submit. */
		wait,
	};
}

/** The request: the arguments in the types of the model, and the fixed fields. */
export function toBody({ spec, fixed }: ModelTool, given: RequestBody): RequestBody {
	const body: RequestBody = {};
	for (const [name, value] of Object.entries(given)) {
		// Agents send null, an empty text or an empty list for nothing.
		if ([value].flat().every(isBlank)) continue;
		const field = getOwn(spec.fields, name);
		body[name] = field ? convertValue(value, field) : value;
	}
	return { ...body, ...fixed };
}
