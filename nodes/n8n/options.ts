import type { IDisplayOptions, INodeProperties, INodePropertyModeTypeOptions } from 'n8n-workflow';
import { BATCH_SIZE } from '../gateway/embeddings/api';
import type { ItemReader } from './itemReader';
import {
	listParameter,
	numberParameter,
	objectParameter,
	switchParameter,
	type Parameter,
} from './parameters';

/** Of downloads, and of requests that wait for a result, where it is not set. */
export const DEFAULT_CONCURRENCY = 20;
/** Of requests, where it is not set. */
export const MOST_CONCURRENCY = 100;

export const concurrency = numberParameter({
	name: 'concurrency',
	displayName: 'Concurrency',
	description: `Most requests and downloads at once. Default: ${MOST_CONCURRENCY} and ${DEFAULT_CONCURRENCY}.`,
	min: 1,
	isInteger: true,
	shown: DEFAULT_CONCURRENCY,
});

export const batchSize = numberParameter({
	name: 'batchSize',
	displayName: 'Batch Size',
	description: 'How many texts go into one request',
	min: 1,
	isInteger: true,
	fallback: BATCH_SIZE,
});

export const simplify = switchParameter({
	name: 'simplify',
	displayName: 'Simplify',
	description: 'Whether to return a simplified version of the response instead of the raw data',
	isOn: true,
});

export const includeInput = switchParameter({
	name: 'includeInput',
	displayName: 'Include Input Fields',
	description: 'Whether each item keeps the fields of its input item',
});

export const split = switchParameter({
	name: 'split',
	displayName: 'One Item for Each Output',
	description:
		'Whether a task with several images or videos gives several items, each with the cost of the whole task',
});

export const extraBody = objectParameter({
	name: 'extra_body',
	displayName: 'Extra Body',
	description:
		'Further parameters, as JSON, e.g. { "user": "row-17" }. Fields set above replace the same ones here.',
});

export const fallbackModels = listParameter({
	name: 'fallbackModels',
	displayName: 'Fallback Models',
	placeholder: 'e.g. {{ $json.models }}',
	description:
		'Comma-separated IDs of models to use, in this order, when the chosen one fails or is not available',
});

/** Without the chosen model. */
export const readFallbackModels = (item: ItemReader, chosen: string): string[] =>
	[...new Set(item.option(fallbackModels))].filter((id) => id !== chosen);

const returnAll = switchParameter({
	name: 'returnAll',
	displayName: 'Return All',
	description: 'Whether to return all results or only up to a given limit',
});

const limit = numberParameter({
	name: 'limit',
	displayName: 'Limit',
	description: 'Max number of results to return',
	min: 1,
	isInteger: true,
	fallback: 50,
	displayOptions: { show: { returnAll: [false] } },
});

export const limitProperties = (returnsAll: boolean): INodeProperties[] => [
	// A switch in a collection is inverted by adding it, this one is not.
	{ ...returnAll.property, default: returnsAll },
	limit.property,
];

/** Undefined: all. */
export function readLimit(item: ItemReader): number | undefined {
	return item.parameter(returnAll) ? undefined : item.parameter(limit);
}

/** How a resource is located: by a choice from a list, or by its ID. `example`: of an ID. */
export const locatorModes = (
	typeOptions: INodePropertyModeTypeOptions,
	example: string,
): Pick<INodeProperties, 'modes'> => ({
	modes: [
		{ displayName: 'From List', name: 'list', type: 'list', typeOptions },
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: `e.g. ${example}` },
	],
});

export type Option = Parameter<unknown> | INodeProperties;
type Choices = NonNullable<NonNullable<IDisplayOptions['show']>[string]>;

export const IS_ADDED: Choices = [{ _cnd: { exists: true } }];

export const propertyOf = (option: Option): INodeProperties =>
	'property' in option ? option.property : option;

export const offerWhen = (option: Option, displayOptions: IDisplayOptions): INodeProperties => ({
	...propertyOf(option),
	displayOptions,
});

const IS_NOT_EMPTY = [{ _cnd: { not: {} } }] as unknown as Choices;

/** For rarely set options: offered once any other one is added. */
export const offerLater = (option: Option, show?: Record<string, Choices>): INodeProperties =>
	offerWhen(option, { show: { ...show, '/options': IS_NOT_EMPTY } });

/** In the order of the labels. */
export function optionsCollection(given: readonly Option[]): INodeProperties {
	const options = given
		.map(propertyOf)
		.sort((a, b) => (a.displayName < b.displayName ? -1 : Number(a.displayName > b.displayName)));
	const hasLater = options.some(({ displayOptions }) => displayOptions?.show?.['/options']);
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		...(hasLater && { description: 'More appear once one is added' }),
		default: {},
		options,
	};
}
