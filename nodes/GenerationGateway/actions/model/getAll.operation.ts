import type { IDataObject } from 'n8n-workflow';
import { describePrice } from '../../../catalog/modelList';
import { getModelSpec } from '../../../catalog/modelSpec';
import { listModels } from '../../../gateway/models/api';
import type { ListedModel } from '../../../gateway/models/schema';
import { limitProperties, readLimit, simplify } from '../../../n8n/options';
import { showUnderOperation, type Operation } from '../../operation';

interface Plan {
	limit?: number;
	simplify: boolean;
}

/** A listed model with what the tables know about it; live prices as the gateway states them. */
function toJson({ id, type, priceConfig }: ListedModel): IDataObject {
	const spec = getModelSpec(id);
	const isKnown = !spec.unknown;
	return {
		id,
		type: isKnown ? spec.media : (type ?? null),
		has_panel: isKnown,
		actions: isKnown ? [...spec.actions] : null,
		stated_price: isKnown ? describePrice(spec.price) : null,
		...(spec.deprecated && {
			gone: spec.deprecated.reason,
			successor: spec.deprecated.replacement ?? null,
		}),
		price_config: (priceConfig ?? null) as IDataObject | null,
	};
}

/** As the gateway lists it; a bare ID needs a name to be an item. */
const toRawJson = ({ id, raw }: ListedModel): IDataObject =>
	typeof raw === 'string' ? { id } : (raw as IDataObject);

/** GET /v1/models: what the gateway offers now, merged with what the tables know. */
export const getAll: Operation<Plan> = {
	properties: showUnderOperation(
		'model',
		['getAll'],
		[...limitProperties(true), simplify.property],
	),
	plan: (item) => ({ limit: readLimit(item), simplify: item.parameter(simplify) }),
	async perform(plan, { client }) {
		const models = (await listModels(client)).slice(0, plan.limit);
		return models.map((model) => ({ json: plan.simplify ? toJson(model) : toRawJson(model) }));
	},
};
