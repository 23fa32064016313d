import type { INodeProperties } from 'n8n-workflow';
import { textStyles, type StyleId } from '../catalog/families';
import type { Issue } from '../catalog/validate';
import { lookOf } from './panel/property';
import { oneOf } from '../catalog/labels';
import { sheetOf, type Sheet } from '../catalog/modelSpec';

/** The parameters of a text endpoint as a sheet, so that the one check serves them too. */
export function textSheet(style: StyleId, model: string): Sheet {
  const { section, fields, models } = textStyles[style];
  return {
    id: model,
    media: 'text',
    family: 'Text',
    section,
    actions: [],
    fields,
    rules: [],
    refused: {},
    price: { per: 'unknown', says: 'Text is billed by tokens' },
    open: true,
    unknown: !models.includes(model),
    files: [],
  };
}

/**
 * Why a model cannot be asked here, when a listing says where it can: models of other endpoints, and
 * image and video models. An id that stands in no list passes ("more are added over time").
 */
export function wrongEndpoint(style: StyleId, model: string): Issue | undefined {
  if (textStyles[style].models.includes(model)) return undefined;
  const media = sheetOf(model);
  if (!media.unknown)
    return { field: 'model', message: `Model (model): ${model} makes ${media.media}s and writes no text` };
  const elsewhere = Object.values(textStyles).filter(({ models }) => models.includes(model));
  if (!elsewhere.length) return undefined;
  const places = oneOf(elsewhere.map(({ title }) => `Text > ${title}`));
  return { field: 'model', message: `Model (model): ${model} is not served by this endpoint. Use ${places}` };
}

/** The endpoint's optional parameters for the Options collection, under their wire names. */
export function textParameters(style: StyleId): INodeProperties[] {
  return Object.entries(textStyles[style].fields)
    .filter(([, field]) => !field.required)
    .map(([name, field]) => lookOf(name, field, false, true));
}
