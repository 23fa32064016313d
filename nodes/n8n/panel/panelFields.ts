import { listAssetPickers } from './assetPickers';
import { getParameter } from '../../catalog/labels';
import { toProperty, type UnconditionalProperty } from './property';
import type { Media } from '../../catalog/families';
import { isNeeded, isPrimary, isVisible } from '../../catalog/visibility';
import type { ModelSpec } from '../../catalog/modelSpec';

/** What the panel needs to know of a model, or of the models that no table has. */
export type PanelSpec = Pick<ModelSpec, 'fields' | 'actions' | 'rules' | 'open'>;

/** A field as the panel shows it for a group of models. */
export interface PanelField {
	name: string;
	property: UnconditionalProperty;
	isPrimary: boolean;
	media: Media;
	/** Whether it is what a result is made from, e.g. a link to a file. */
	isInput: boolean;
	models: string[];
	/** Shown for models that no table has, too. */
	isGeneric: boolean;
	/** Of models that may take more than is known. */
	isOpen: boolean;
	/** Undefined where the field is offered under every action of the models. */
	actions?: Actions;
	/**
	 * Of a field that is required under some actions and optional under others, which part this is: the
	 * required one (`here`), the optional one (`elsewhere`), or both, marked as required (`everywhere`).
	 */
	marked?: 'here' | 'everywhere' | 'elsewhere';
}

/** The actions of some models, by whether a field is offered. */
interface Actions {
	offered: string[];
	others: string[];
}

/** The fields of one model, or without an `id` those of any model that no table has. */
export function listPanelFields(spec: PanelSpec, media: Media, id?: string): PanelField[] {
	const models = id === undefined ? [] : [id];
	const scope = { media, models, isGeneric: id === undefined, isOpen: spec.open };
	const fields = Object.entries(spec.fields).flatMap(([name, field]): PanelField[] => {
		const offered = spec.actions.filter((action) => isVisible(spec, name, action));
		const isTop = isPrimary(spec, name);
		const parameter = getParameter(name, field);
		const required = offered.filter((action) => isNeeded(spec, name, action));
		const optional = offered.filter((action) => !required.includes(action));
		const create = (under: string[], marked?: PanelField['marked']): PanelField => {
			const isMarked = marked && marked !== 'elsewhere' && { required: true as const };
			const property = {
				...toProperty(name, { ...field, ...isMarked }, isTop, spec.open),
				name: parameter,
			};
			const others = spec.actions.filter((action) => !under.includes(action));
			const actions = others.length ? { offered: under, others } : undefined;
			const isInput = field.media !== undefined || field.type === 'objects';
			return { name: parameter, property, isPrimary: isTop, isInput, ...scope, actions, marked };
		};
		if (!offered.length) return [];
		if (!required.length || required.length === spec.actions.length) return [create(offered)];
		// n8n accepts an empty list in spite of the mark.
		if (!optional.length && ['links', 'objects'].includes(field.type))
			return [create(required, 'everywhere')];
		const isEverywhere = offered.length === spec.actions.length;
		return [create(optional, isEverywhere ? 'elsewhere' : undefined), create(required, 'here')];
	});
	const pickers = listAssetPickers(spec).map(({ name, property }): PanelField => {
		return { name, property, isPrimary: false, isInput: true, ...scope };
	});
	return [...fields, ...pickers];
}

/** Models whose fields are alike share one, so that the panel has a third of the properties. */
export function joinPanelFields(fields: readonly PanelField[]): PanelField[] {
	const joined = new Map<string, PanelField>();
	for (const field of fields) {
		const { property, isPrimary: isTop, isOpen, marked, media, actions } = field;
		const key = JSON.stringify([property, isTop, isOpen, marked, media, actions?.offered]);
		const first = joined.get(key);
		joined.set(key, first ? join(first, field) : field);
	}
	return [...joined.values()].sort((a, b) => widthOf(b) - widthOf(a));
}

const join = (first: PanelField, second: PanelField): PanelField => ({
	...first,
	models: [...first.models, ...second.models],
	isGeneric: first.isGeneric || second.isGeneric,
	...(first.actions && {
		actions: {
			offered: first.actions.offered,
			others: [...new Set([...first.actions.others, ...(second.actions?.others ?? [])])],
		},
	}),
});

/** How much a property takes. The widest of one name comes first: n8n's types keep the first one only. */
const widthOf = ({ property: { options } }: PanelField): number => options?.length ?? Infinity;
