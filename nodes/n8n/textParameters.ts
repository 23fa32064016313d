import type { INodeProperties } from 'n8n-workflow';
import { textEndpoints, type Fields, type TextEndpointId } from '../catalog/families';
import type { ItemReader, NodeContext } from './itemReader';
import { offerLater } from './options';
import { toProperty } from './panel/property';
import { convertValue, isEmpty } from './panel/readPanel';
import { getLabel, joinWords } from '../catalog/labels';
import type { RequestSpec } from '../catalog/requestSpec';
import type { RequestBody } from '../catalog/rules';

/** For the same check as media requests. */
export const textModelSpec = (endpoint: TextEndpointId, model: string): RequestSpec => ({
	id: model,
	fields: textEndpoints[endpoint].fields,
	rules: [],
	open: true,
});

/** Why a model cannot be used at this endpoint, after its ID. Models that are not known pass. */
export function findEndpointProblem(endpoint: TextEndpointId, model: string): string | undefined {
	if (textEndpoints[endpoint].models.includes(model)) return undefined;
	const others = Object.values(textEndpoints).filter(({ models }) => models.includes(model));
	if (!others.length) return undefined;
	const places = joinWords(others.map(({ title }) => `Text > ${title}`));
	return `is not available here. Use ${places}`;
}

const RARE = ['top_p', 'frequency_penalty', 'presence_penalty', 'n'];

/** For the Options collection. */
export function textParameterProperties(endpoint: TextEndpointId): INodeProperties[] {
	return Object.entries(textEndpoints[endpoint].fields)
		.filter(([, field]) => !field.required)
		.map(([name, field]) => {
			const property = toProperty(name, field, false, true);
			return RARE.includes(name) ? offerLater(property) : property;
		});
}

/** Those the user added, and those that the panel always shows. */
export function readTextParameters(item: ItemReader<NodeContext>, fields: Fields): RequestBody {
	const given = Object.entries(fields).flatMap(([name, field]) => {
		const raw = field.required ? item.raw(name) : item.rawOptions[name];
		if (raw === undefined) item.checkMissing(item.rawOptions, name, getLabel(name, field));
		const value = isEmpty(raw) ? raw : convertValue(raw, field);
		return isEmpty(value) ? [] : [[name, value] as const];
	});
	return Object.fromEntries(given);
}
