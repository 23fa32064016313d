import type { IDataObject } from 'n8n-workflow';
import { describePrice } from '../../../catalog/modelList';
import { getModelSpec } from '../../../catalog/modelSpec';
import { readModels, type ListedModel } from '../../../gateway/models/schema';
import { readLimit, returnAll, simplify } from '../../../n8n/options';
import { showUnderOperation, type Operation } from '../../operation';

interface Plan {
	limit: number;
	simplify: boolean;
}

/** A listed model with what the tables know about it; live prices as the gateway words them. */
function described({ id, type, priceConfig }: ListedModel): IDataObject {
	const spec = getModelSpec(id);
	const known = !spec.unknown;
	return {
		id,
		type: known ? spec.media : (type ?? null),
		has_panel: known,
		actions: known ? [...spec.actions] : null,
		stated_price: known ? describePrice(spec.price) : null,
		...(spec.deprecated && {
			gone: spec.deprecated.reason,
			successor: spec.deprecated.replacement ?? null,
		}),
		price_config: (priceConfig ?? null) as IDataObject | null,
	};
}

/** As the gateway lists it; a bare ID needs a name to be an item. */
const rawOf = ({ id, raw }: ListedModel): IDataObject =>
	typeof raw === 'string' ? { id } : (raw as IDataObject);

/** GET /v1/models: what the gateway offers now, merged with what the tables know. */
export const getAll: Operation<Plan> = {
	properties: showUnderOperation('model', ['getAll'], [...returnAll(true), simplify]),
	plan: (item) => ({
		limit: readLimit(item),
		simplify: item.get('simplify', true) !== false,
	}),
	async perform(plan, { client }) {
		const { body } = await client.request({ kind: 'read', method: 'GET', path: '/v1/models' });
		const models = readModels(body).slice(0, plan.limit);
		return models.map((model) => ({ json: plan.simplify ? described(model) : rawOf(model) }));
	},
};
