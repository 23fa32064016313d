import type { IDataObject } from 'n8n-workflow';
import { priceInWords } from '../../../catalog/modelList';
import { sheetOf } from '../../../catalog/modelSpec';
import { readModels, type ListedModel } from '../../../gateway/models/schema';
import { limitOf, returnAll, simplify } from '../../../n8n/options';
import { underOperation, type Operation } from '../../operation';

interface Plan {
  limit: number;
  simplify: boolean;
}

/** A listed model with what the tables know about it; live prices as the gateway words them. */
function described({ id, type, priceConfig }: ListedModel): IDataObject {
  const sheet = sheetOf(id);
  const known = !sheet.unknown;
  return {
    id,
    type: known ? sheet.media : (type ?? null),
    has_panel: known,
    actions: known ? [...sheet.actions] : null,
    stated_price: known ? priceInWords(sheet.price) : null,
    ...(sheet.gone && { gone: sheet.gone.word, successor: sheet.gone.successor ?? null }),
    price_config: (priceConfig ?? null) as IDataObject | null,
  };
}

/** As the gateway lists it; a bare ID needs a name to be an item. */
const rawOf = ({ id, raw }: ListedModel): IDataObject => (typeof raw === 'string' ? { id } : (raw as IDataObject));

/** GET /v1/models: what the gateway offers now, merged with what the tables know. */
export const getAll: Operation<Plan> = {
  properties: underOperation('model', ['getAll'], [
    ...returnAll(true),
    simplify,
  ]),
  plan: (item) => ({
    limit: limitOf(item),
    simplify: item.get('simplify', true) !== false,
  }),
  async perform(plan, { door }) {
    const { body } = await door.call({ kind: 'read', method: 'GET', path: '/v1/models' });
    const models = readModels(body).slice(0, plan.limit);
    return models.map((model) => ({ json: plan.simplify ? described(model) : rawOf(model) }));
  },
};
