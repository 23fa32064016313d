import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { joinWords, quote, toTitle } from '../../../catalog/labels';
import { MODEL_KINDS, type ModelKind } from '../../../catalog/listedKinds';
import { describePrice } from '../../../catalog/modelList';
import { findModelSpec, getModelKind } from '../../../catalog/modelSpec';
import { listModels } from '../../../gateway/models/api';
import type { ListedModel } from '../../../gateway/models/schema';
import type { ItemReader } from '../../../n8n/itemReader';
import { limitProperties, readLimit, simplify } from '../../../n8n/options';
import { textParameter } from '../../../n8n/parameters';
import type { Operation } from '../../operation';

/** A listed model with what the tables say. Live prices are as the gateway states them. */
function toJson({ id, type, priceConfig }: ListedModel): IDataObject {
	const spec = findModelSpec(id);
	return {
		id,
		type: kindOf({ id, type }) ?? null,
		has_panel: spec !== undefined,
		actions: spec ? [...spec.actions] : null,
		stated_price: spec ? describePrice(spec.price) : null,
		...(spec?.deprecated && {
			gone: spec.deprecated.reason,
			successor: spec.deprecated.replacement ?? null,
		}),
		price_config: (priceConfig ?? null) as IDataObject | null,
	};
}

/** By the tables, otherwise by the gateway. */
const kindOf = ({ id, type }: Pick<ListedModel, 'id' | 'type'>): string | undefined =>
	getModelKind(id) ?? type;

const ANY = '';

const name = textParameter({
	name: 'name',
	displayName: 'Name',
	placeholder: 'e.g. clipk',
	description: 'A part of the ID',
});
const filters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add Filter',
	default: {},
	options: [
		{
			displayName: 'Kind',
			name: 'kind',
			type: 'options',
			options: [
				{ name: 'Any', value: ANY },
				...MODEL_KINDS.map((kind) => ({ name: toTitle(kind), value: kind })),
			],
			default: ANY,
			description: 'What the models make or take',
		},
		name.property,
	],
};

function readPlan(item: ItemReader) {
	const given = item.raw('filters', {}) as Record<string, unknown>;
	item.checkMissing(given, 'kind', 'Kind');
	item.checkMissing(given, name.name, name.property.displayName);
	const kind = given.kind ?? ANY;
	if (kind !== ANY && !MODEL_KINDS.includes(kind as ModelKind))
		throw item.failWith('filters', `Kind must be ${joinWords(MODEL_KINDS)}, but is ${quote(kind)}`);
	const parsed = name.parse(given.name);
	if ('problem' in parsed) throw item.failWith('filters', `Name ${parsed.problem}`);
	return {
		/** Undefined: all. */
		kind: String(kind) || undefined,
		/** Empty: all. */
		name: parsed.value.toLowerCase(),
		/** Undefined: all. */
		limit: readLimit(item),
		simplify: item.parameter(simplify),
	};
}

/** A bare ID becomes an object. */
const toRawJson = ({ id, raw }: ListedModel): IDataObject =>
	typeof raw === 'string' ? { id } : (raw as IDataObject);

/** GET /v1/models, with what the tables say. */
export const getAll: Operation<ReturnType<typeof readPlan>> = {
	properties: [...limitProperties(true), filters, simplify.property],
	plan: readPlan,
	async perform(plan, { client }) {
		const listed = await listModels(client);
		const isWanted = (model: ListedModel) =>
			(!plan.kind || kindOf(model)?.toLowerCase() === plan.kind) &&
			model.id.toLowerCase().includes(plan.name);
		const models = listed.filter(isWanted).slice(0, plan.limit);
		return models.map((model) => ({ json: plan.simplify ? toJson(model) : toRawJson(model) }));
	},
};
