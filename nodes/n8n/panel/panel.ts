import type { INodeProperties } from 'n8n-workflow';
import { EVERY_REQUEST, type Media } from '../../catalog/families';
import { assetPickers } from './assetPickers';
import { lookOf, type Look } from './property';
import { isOffered, isTopLevel } from '../../catalog/visibility';
import { sheetOf, sheets, type Sheet } from '../../catalog/modelSpec';

/** A field as one group of models shows it; equal looks become one property. */
interface Variant {
  name: string;
  look: Look;
  top: boolean;
  models: string[];
  /** Models without a table show it too. */
  unknown: boolean;
  /** Undefined where the field is offered under every action of the model. */
  actions: string[] | undefined;
}

function variantsOf(sheet: Sheet): Variant[] {
  const pickers = assetPickers(sheet).map(({ name, look }): Variant => {
    return { name, look, top: false, models: [sheet.id], unknown: false, actions: undefined };
  });
  const fields = Object.entries(sheet.fields).flatMap(([name, field]): Variant[] => {
    const offered = sheet.actions.filter((action) => isOffered(sheet, name, action));
    if (!offered.length) return [];
    const top = isTopLevel(sheet, name);
    const models = sheet.unknown ? [] : [sheet.id];
    const actions = offered.length === sheet.actions.length ? undefined : offered;
    return [{ name, top, look: lookOf(name, field, top, sheet.open), models, unknown: sheet.unknown, actions }];
  });
  return [...fields, ...pickers];
}

/** Variants that look alike and show under the same actions become one with all their models. */
function merged(variants: Variant[]): Variant[] {
  const byLook = new Map<string, Variant>();
  for (const variant of variants) {
    const { look, top, actions, models, unknown } = variant;
    const key = JSON.stringify([look, top, actions]);
    const same = byLook.get(key);
    if (same) Object.assign(same, { models: [...same.models, ...models], unknown: same.unknown || unknown });
    else byLook.set(key, variant);
  }
  return [...byLook.values()];
}

const served = (media: Media) => sheets.filter((sheet) => sheet.media === media && !sheet.gone);

/**
 * The panel of one medium under the model locator: each field under its wire name, exactly once for
 * any model and action. Shown while `resource` is the medium and `operation` is generate.
 */
export function panelOf(media: Media): INodeProperties[] {
  const here = { resource: [media], operation: ['generate'] };
  const known = sheets.filter((sheet) => sheet.media === media).map(({ id }) => id);
  /** A model without a table is known by not being any of those with one. */
  const others = (models: string[]) => known.filter((id) => !models.includes(id));
  const variants = merged([...served(media).flatMap(variantsOf), ...variantsOf(sheetOf('', media))]);
  const order = [...new Set(variants.map(({ name }) => name))];
  variants.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));

  const top = variants
    .filter((variant) => variant.top)
    .map(({ look, models, unknown, actions }): INodeProperties => {
      const show = { ...here, ...(!unknown && { model: models }), ...(actions && { action: actions }) };
      return { ...look, displayOptions: { show, ...(unknown && { hide: { model: others(models) } }) } };
    });
  const more = variants
    .filter((variant) => !variant.top)
    .map(({ look, models, unknown, actions }): INodeProperties => {
      const show = { ...(!unknown && { '/model': models }), ...(actions && { '/action': actions }) };
      return { ...look, displayOptions: { show, ...(unknown && { hide: { '/model': others(models) } }) } };
    });
  const open = [...served(media)].filter((sheet) => sheet.open).map(({ id }) => id);
  const closed = known.filter((id) => !open.includes(id));
  return [
    ...goneNotice(media, here),
    ...top,
    {
      displayName: 'Extra Body',
      name: 'extra_body',
      type: 'json',
      default: '',
      placeholder: 'e.g. { "style": "sketch" }',
      description: 'Further parameters of the model, as JSON. What is set in a field above wins.',
      displayOptions: { show: here, hide: { model: closed } },
    },
    {
      displayName: 'Additional Fields',
      name: 'additionalFields',
      type: 'collection',
      placeholder: 'Add Field',
      default: {},
      options: [...more, lookOf('extra', EVERY_REQUEST.extra, false, false)],
      displayOptions: { show: here },
    },
  ];
}

function goneNotice(media: Media, here: { resource: string[]; operation: string[] }): INodeProperties[] {
  return sheets
    .filter((sheet) => sheet.media === media && sheet.gone)
    .map(({ id, gone }) => ({
      displayName: `${id} is ${gone!.word}. ${gone!.successor ? `Use ${gone!.successor} instead.` : 'Choose another model.'}`,
      name: 'goneNotice',
      type: 'notice',
      default: '',
      displayOptions: { show: { ...here, model: [id] } },
    }));
}
