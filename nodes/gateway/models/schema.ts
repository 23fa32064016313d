import { isObject } from '../json';
import { z } from 'zod';

/** A model of the gateway's list. The spec shows only `price_config` (section 4). */
export interface ListedModel {
	id: string;
	type?: string;
	priceConfig?: unknown;
	raw: unknown;
}

const text = z.string().min(1).optional().catch(undefined);
const Entry = z
	.object({
		id: text,
		model: text,
		name: text,
		model_name: text,
		type: text,
		price_config: z.unknown(),
	})
	.passthrough();

function readEntry(raw: unknown, key?: string): ListedModel[] {
	if (typeof raw === 'string') return [{ id: raw, raw }];
	const parsed = Entry.safeParse(raw);
	if (!parsed.success) return [];
	const { id, model, name, model_name, type, price_config: priceConfig } = parsed.data;
	const found = id ?? model ?? model_name ?? name ?? key;
	return found ? [{ id: found, type, priceConfig, raw }] : [];
}

/**
 * Reads `{data: [...]}`, `{models: [...]}`, a list, or an object keyed by model ID. Undefined when there is
 * no list.
 */
export function readModels(body: unknown): ListedModel[] | undefined {
	const outer = isObject(body) ? body : {};
	const stated = Array.isArray(body) ? body : (outer.data ?? outer.models ?? outer.items);
	if (typeof body !== 'object' || body === null) return undefined;
	if (stated === undefined && outer.error) return undefined;
	const list = stated ?? body;
	const models = Array.isArray(list)
		? list.flatMap((model) => readEntry(model))
		: isObject(list)
			? Object.entries(list).flatMap(([key, model]) =>
					isObject(model) ? readEntry(model, key) : [],
				)
			: [];
	const shared = isObject(outer.price_config) ? outer.price_config : {};
	return models.map((model) => ({ ...model, priceConfig: model.priceConfig ?? shared[model.id] }));
}
