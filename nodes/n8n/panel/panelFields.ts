import { listAssetPickers } from './assetPickers';
import { toProperty, type UnconditionalProperty } from './property';
import { isPrimary, isVisible } from '../../catalog/visibility';
import type { ModelSpec } from '../../catalog/modelSpec';

/** What the panel needs to know of a model, or of the models that no table has. */
export type PanelSpec = Pick<ModelSpec, 'fields' | 'actions' | 'rules' | 'open'>;

/** A field as the panel shows it for a group of models. */
export interface PanelField {
	name: string;
	property: UnconditionalProperty;
	isPrimary: boolean;
	models: string[];
	/** Shown for models that no table has, too. */
	isGeneric: boolean;
	/** Undefined where the field is offered under every action of the model. */
	actions?: string[];
}

/** The fields of one model, or without an `id` those of any model that no table has. */
export function listPanelFields(spec: PanelSpec, id?: string): PanelField[] {
	const scope = { models: id === undefined ? [] : [id], isGeneric: id === undefined };
	const fields = Object.entries(spec.fields).flatMap(([name, field]): PanelField[] => {
		const offered = spec.actions.filter((action) => isVisible(spec, name, action));
		if (!offered.length) return [];
		const isTop = isPrimary(spec, name);
		const property = toProperty(name, field, isTop, spec.open);
		const actions = offered.length === spec.actions.length ? undefined : offered;
		return [{ name, property, isPrimary: isTop, ...scope, actions }];
	});
	const pickers = listAssetPickers(spec).map(({ name, property }): PanelField => {
		return { name, property, isPrimary: false, ...scope };
	});
	return [...fields, ...pickers];
}

/**
 * Equal fields that are offered under the same actions become one with all their models: n8n goes
 * through all properties at every keystroke. Fields of one name are adjacent.
 */
export function mergePanelFields(fields: readonly PanelField[]): PanelField[] {
	const merged = new Map<string, PanelField>();
	for (const field of fields) {
		const { property, isPrimary: isTop, actions } = field;
		const key = JSON.stringify([property, isTop, actions]);
		const same = merged.get(key);
		merged.set(key, {
			...field,
			models: [...(same?.models ?? []), ...field.models],
			isGeneric: Boolean(same?.isGeneric) || field.isGeneric,
		});
	}
	const order = [...new Set([...merged.values()].map(({ name }) => name))];
	return [...merged.values()].sort(
		(a, b) => order.indexOf(a.name) - order.indexOf(b.name) || widthOf(b) - widthOf(a),
	);
}

/** How much a property takes. The widest of one name comes first: n8n's types keep the first one only. */
const widthOf = ({ property: { options } }: PanelField): number => options?.length ?? Infinity;
