import { isObject, textAt, type JsonObject } from '../json';

/** A model of the gateway's list. The spec shows only `price_config` (section 4). */
export interface ListedModel {
	id: string;
	type?: string;
	priceConfig?: unknown;
	raw: unknown;
}

/** Where gateways write the ID. */
const ID_NAMES = ['id', 'model', 'model_name', 'name'];

function readEntry(raw: unknown, key?: string): ListedModel[] {
	if (typeof raw === 'string') return [{ id: raw, raw }];
	if (!isObject(raw)) return [];
	const id = ID_NAMES.map((name) => textAt(raw, name)).find(Boolean) ?? key;
	const type = textAt(raw, 'type') || undefined;
	return id ? [{ id, type, priceConfig: raw.price_config, raw }] : [];
}

/** A list of models: a list, or an object keyed by model ID. May stand within one or two others. */
function findList(body: unknown, depth = 2): unknown[] | JsonObject | undefined {
	if (Array.isArray(body)) return body;
	if (!isObject(body)) return undefined;
	const stated = body.data ?? body.models ?? body.items ?? body.result;
	if (stated !== undefined && stated !== null && depth) return findList(stated, depth - 1);
	// An empty list may be null.
	if (body.object === 'list') return [];
	const isModel = (name: string) => name !== 'price_config' && isObject(body[name]);
	const isEmpty = !Object.keys(body).length;
	return !body.error && (isEmpty || Object.keys(body).some(isModel)) ? body : undefined;
}

/** Reads `{data: [...]}`, `{models: [...]}`, a list, or an object keyed by model ID. Undefined without a list. */
export function readModels(body: unknown): ListedModel[] | undefined {
	const list = findList(body);
	if (!list) return undefined;
	const models = Array.isArray(list)
		? list.flatMap((model) => readEntry(model))
		: Object.entries(list).flatMap(([key, model]) =>
				isObject(model) && key !== 'price_config' ? readEntry(model, key) : [],
			);
	const { price_config: shared } = isObject(body) ? body : {};
	const priceOf = (id: string) =>
		isObject(shared) && Object.hasOwn(shared, id) ? shared[id] : undefined;
	return models.map((model) => ({ ...model, priceConfig: model.priceConfig ?? priceOf(model.id) }));
}
