import type { INodeProperties } from 'n8n-workflow';
import { textEndpoints, type TextEndpointId } from '../catalog/families';
import type { Issue } from '../catalog/validate';
import { toProperty } from './panel/property';
import { joinWords } from '../catalog/labels';
import { getModelSpec, type ModelSpec } from '../catalog/modelSpec';

/** The parameters of a text endpoint as a sheet, so that the one check serves them too. */
export function textModelSpec(style: TextEndpointId, model: string): ModelSpec {
	const { section, fields, models } = textEndpoints[style];
	return {
		id: model,
		media: 'text',
		family: 'Text',
		section,
		actions: [],
		fields,
		rules: [],
		refused: {},
		price: { per: 'unknown', description: 'Text is billed by tokens' },
		open: true,
		unknown: !models.includes(model),
		files: [],
	};
}

/**
 * Why a model cannot be asked here, when a listing says where it can: models of other endpoints, and
 * image and video models. An id that stands in no list passes ("more are added over time").
 */
export function findEndpointIssue(style: TextEndpointId, model: string): Issue | undefined {
	if (textEndpoints[style].models.includes(model)) return undefined;
	const media = getModelSpec(model);
	if (!media.unknown)
		return {
			field: 'model',
			message: `Model (model): ${model} makes ${media.media}s and writes no text`,
		};
	const elsewhere = Object.values(textEndpoints).filter(({ models }) => models.includes(model));
	if (!elsewhere.length) return undefined;
	const places = joinWords(elsewhere.map(({ title }) => `Text > ${title}`));
	return {
		field: 'model',
		message: `Model (model): ${model} is not served by this endpoint. Use ${places}`,
	};
}

/** The endpoint's optional parameters for the Options collection, under their wire names. */
export function textParameterProperties(style: TextEndpointId): INodeProperties[] {
	return Object.entries(textEndpoints[style].fields)
		.filter(([, field]) => !field.required)
		.map(([name, field]) => toProperty(name, field, false, true));
}
