import {
	NodeHelpers,
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
} from 'n8n-workflow';
import { GenerationGateway } from '../../nodes/GenerationGateway/GenerationGateway.node';
import type { Media } from '../../nodes/catalog/families';
import { modelSpecs } from '../../nodes/catalog/modelSpec';
import { validValue } from './fieldSamples';

export const { description } = new GenerationGateway();
const { properties } = description;

/** Properties of the panel besides the fields of a model. */
const FRAME = [
	'resource',
	'operation',
	'model',
	'wait',
	'options',
	'additionalFields',
	'modelNotice',
];

const located = (model: string) => ({ __rl: true, mode: 'list', value: model });

/** The parameters of a node as a workflow stores them. */
export const storedParameters = (
	media: Media,
	model: string,
	fields: INodeParameters = {},
): INodeParameters => ({
	resource: media,
	operation: 'generate',
	model: located(model),
	prompt: 'a red kite',
	...fields,
});

const nodeWith = (parameters: INodeParameters): INode => ({
	id: 'a',
	name: 'Generation Gateway',
	type: 'generationGateway',
	typeVersion: 1,
	position: [0, 0],
	parameters,
});

/** Remembers each result: n8n takes milliseconds, and tests ask thousands of times. */
function memoize<Result>(work: (parameters: INodeParameters) => Result) {
	const known = new Map<string, Result>();
	return (parameters: INodeParameters): Result => {
		const key = JSON.stringify(parameters);
		if (!known.has(key)) known.set(key, work(parameters));
		return known.get(key)!;
	};
}

/** The properties that n8n shows for the stored parameters: at the top level, and in Additional Fields. */
export const listVisible = memoize((stored) => {
	const { full, isShown } = openPanel(stored);
	const all = properties.filter((property) => isShown(property, full));
	const more = all
		.filter(({ name }) => name === 'additionalFields')
		.flatMap(({ options }) => options as INodeProperties[])
		.filter((property) => isShown(property, (full.additionalFields ?? {}) as INodeParameters));
	return { all, top: all.filter(({ name }) => !FRAME.includes(name)), more };
});

/** The parameters with n8n's defaults, as they are when the node runs. */
export const withDefaults = memoize((parameters) =>
	NodeHelpers.getNodeParameters(
		properties,
		parameters,
		true,
		false,
		nodeWith(parameters),
		description,
	)!,
);

/**
 * What the editor shows at once after a choice. It adds what the choice brings to the values that it has, and
 * then removes those that it does not show.
 */
export function listShownAtOnce(edited: INodeParameters): string[] {
	const merged = { ...edited, ...withDefaults(edited) };
	return properties
		.filter((each) => NodeHelpers.displayParameter(merged, each, nodeWith(merged), description))
		.map(({ name }) => name);
}

/**
 * The parameters after one choice. The editor empties a collection that it shows afterwards, if the conditions of
 * the collection name the parameter that was chosen.
 */
export function choose(parameters: INodeParameters, choice: INodeParameters): INodeParameters {
	const chosen = { ...structuredClone(parameters), ...choice };
	const [name] = Object.keys(choice);
	const isEmptied = (property: INodeProperties) => {
		const { type, displayOptions: { show, hide } = {} } = property;
		return (
			type.toLowerCase().endsWith('collection') &&
			name! in { ...show, ...hide } &&
			NodeHelpers.displayParameter(chosen, property, nodeWith(chosen), description)
		);
	};
	for (const property of properties.filter(isEmptied)) delete chosen[property.name];
	return withDefaults(chosen);
}

/** The parameters as the editor has them, and what it shows of a property whose level has these values. */
export function openPanel(parameters: INodeParameters): {
	full: INodeParameters;
	isShown(property: INodeProperties, level: INodeParameters): boolean;
} {
	const full = withDefaults(parameters);
	const node = nodeWith(parameters);
	return {
		full,
		isShown: (property, level) =>
			NodeHelpers.displayParameter(level, property, node, description, full),
	};
}

/** What n8n marks in red, by parameter. */
export const findParameterIssues = (
	parameters: INodeParameters,
): Record<string, string[]> | undefined =>
	NodeHelpers.getNodeParametersIssues(properties, nodeWith(parameters), description)?.parameters;

const PHOTO = 'https://example.com/photo.png';

/** A value that the field of this name takes in some table. */
function validJson(name: string): string {
	const field = modelSpecs.map(({ fields }) => fields[name]).find((known) => known !== undefined);
	return JSON.stringify(field ? validValue(field) : { sparkle: 1 });
}

/** Some value that a user may leave in a field: the last choice, an upper bound, a switch that is on. */
export function sampleInput(property: INodeProperties): INodeParameters[string] {
	const { name, type, options, typeOptions, placeholder } = property;
	switch (type) {
		case 'options':
			return (options as { value: string | number }[]).at(-1)!.value;
		case 'boolean':
			return true;
		case 'number':
			return typeOptions?.maxValue ?? typeOptions?.minValue ?? 1;
		case 'fixedCollection': {
			const [form] = options as INodePropertyCollection[];
			const fields = form!.values.map((field) => [field.name, sampleInput(field)] as const);
			return { [form!.name]: Object.fromEntries(fields) };
		}
		case 'json':
			return validJson(name);
		default:
			if (typeOptions?.multipleValues) return [PHOTO];
			return placeholder?.includes('https://') ? PHOTO : 'a red kite';
	}
}

/** Whether the property is a field of the request; lists of assets are not, they fill one. */
export const isOfPanel = ({ typeOptions }: INodeProperties) => !typeOptions?.loadOptionsMethod;

/** A node on which every visible field has a value. */
export function filledParameters(media: Media, model: string, action: string): INodeParameters {
	const parameters = storedParameters(media, model, { action });
	const { top, more } = listVisible(parameters);
	const fillAll = (fields: INodeProperties[]) =>
		Object.fromEntries(fields.map((field) => [field.name, sampleInput(field)]));
	return {
		...parameters,
		...fillAll(top.filter(({ name }) => name !== 'action')),
		additionalFields: fillAll(more.filter(isOfPanel)),
	};
}
