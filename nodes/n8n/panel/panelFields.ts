import { listAssetPickers } from './assetPickers';
import { toProperty, type UnconditionalProperty } from './property';
import { isPrimary, isVisible, listNeeded } from '../../catalog/visibility';
import type { ModelSpec } from '../../catalog/modelSpec';

type PanelSpec = Pick<ModelSpec, 'fields' | 'actions' | 'rules' | 'open'> & { id?: string };

/** A field of the panel, for one or more models. */
export interface PanelField {
	property: UnconditionalProperty;
	isPrimary: boolean;
	/** A result is made from it, e.g. a link to a file. */
	isInput: boolean;
	models: string[];
	/** Also shown for models without a table. */
	isGeneric: boolean;
	/** The actions that show it. Undefined: every action does. */
	offered?: string[];
	/** The other actions of its models. */
	others: string[];
	/** Where some actions or models require the field. `here`: for those. `elsewhere`: for the others. `everywhere`: for all, marked. */
	marked?: 'here' | 'everywhere' | 'elsewhere';
}

/** The fields of one model. Without an `id`: of models without a table. */
export function listPanelFields(spec: PanelSpec): PanelField[] {
	const { id, open: isOpen } = spec;
	const scope = { models: id ? [id] : [], isGeneric: id === undefined };
	const needed = new Map(spec.actions.map((action) => [action, listNeeded(spec, action)]));
	const offeredUnder = (name: string) =>
		spec.actions.filter((action) => isVisible(spec, name, action));
	const scopeOf = (under: string[]) => {
		const others = spec.actions.filter((action) => !under.includes(action));
		return { ...scope, offered: others.length ? under : undefined, others };
	};
	const fields = Object.entries(spec.fields).flatMap(([name, field]): PanelField[] => {
		const offered = offeredUnder(name);
		const isTop = isPrimary(spec, name);
		const required = offered.filter((action) => needed.get(action)!.includes(name));
		const optional = offered.filter((action) => !required.includes(action));
		const create = (under: string[], marked?: PanelField['marked']): PanelField => {
			const isMarked = marked && marked !== 'elsewhere' && { required: true as const };
			const property = toProperty(name, { ...field, ...isMarked }, isTop, isOpen);
			const isInput = field.media !== undefined || field.type === 'objects';
			return { property, isPrimary: isTop, isInput, ...scopeOf(under), marked };
		};
		if (!offered.length) return [];
		const isAlways = required.length === spec.actions.length;
		if (!required.length || (isAlways && name === 'prompt')) return [create(offered)];
		// n8n accepts an empty list in spite of the mark.
		if (!optional.length && ['links', 'objects'].includes(field.type))
			return [create(required, 'everywhere')];
		if (isAlways) return [create(required, 'here')];
		const isEverywhere = offered.length === spec.actions.length;
		return [create(optional, isEverywhere ? 'elsewhere' : undefined), create(required, 'here')];
	});
	const pickers = listAssetPickers(spec.fields).map(({ property, target }): PanelField => ({
		property,
		isPrimary: false,
		isInput: true,
		...scopeOf(offeredUnder(target)),
	}));
	return [...fields, ...pickers];
}

/** Joins fields that are the same for several models: a third of the properties is left. */
export function joinPanelFields(fields: readonly PanelField[]): PanelField[] {
	const joined = new Map<string, PanelField>();
	for (const field of fields) {
		const { property, isPrimary: isTop, marked, offered, models } = field;
		// Hidden for any other model and for an expression. n8n has such a condition for one model only.
		const ownModel = marked === 'here' ? models : [];
		const key = JSON.stringify([property, isTop, marked, offered, ownModel]);
		const first = joined.get(key);
		joined.set(key, first ? join(first, field) : field);
	}
	return [...joined.values()].sort((a, b) => widthOf(b) - widthOf(a));
}

const join = (first: PanelField, second: PanelField): PanelField => ({
	...first,
	models: [...first.models, ...second.models],
	isGeneric: first.isGeneric || second.isGeneric,
	others: [...new Set([...first.others, ...second.others])],
});

/** The widest of one name comes first: n8n's types keep the first one only. */
const widthOf = ({ property: { options } }: PanelField): number => options?.length ?? Infinity;
