import type { DisplayCondition } from 'n8n-workflow';
import { listAssetPickers } from './assetPickers';
import { toProperty, type UnconditionalProperty } from './property';
import { modelSpecs, type ModelSpec } from '../../catalog/modelSpec';
import { isPrimary, isVisible, listNeeded } from '../../catalog/visibility';

type PanelSpec = Pick<ModelSpec, 'fields' | 'actions' | 'rules' | 'open'> & { id?: string };
type Conditions = Array<string | DisplayCondition>;

const ACTIONS = [...new Set(modelSpecs.flatMap(({ actions }) => actions))];
export const EXPRESSION = { _cnd: { startsWith: '=' } };

/** A field of the panel, for one or more models. */
export interface PanelField {
	property: UnconditionalProperty;
	isPrimary: boolean;
	/** A result is made from it, e.g. a link to a file. */
	isInput: boolean;
	/** None: shown only where Model is an expression. */
	models: string[];
	/** Also shown for models without a table. */
	isGeneric: boolean;
	/** For one model that is chosen from the list: hidden for any other and for an expression. */
	isOwn?: boolean;
	/** The actions that show it, and those that hide it. Neither: every action shows it. */
	shownUnder?: Conditions;
	hiddenUnder?: Conditions;
}

/** The fields of one model. Without an `id`: of models without a table. */
export function listPanelFields(spec: PanelSpec): PanelField[] {
	const { id, actions, open: isOpen } = spec;
	const scope = { models: id ? [id] : [], isGeneric: id === undefined };
	const needed = new Map(actions.map((action) => [action, listNeeded(spec, action)]));
	const offeredUnder = (name: string) => actions.filter((action) => isVisible(spec, name, action));
	const isAll = (under: string[]) => under.length === actions.length;
	const showUnder = (under: string[]) =>
		isAll(under) ? {} : { shownUnder: under.length ? under : [EXPRESSION] };
	const fields = Object.entries(spec.fields).flatMap(([name, field]): PanelField[] => {
		const offered = offeredUnder(name);
		const isTop = isPrimary(spec, name);
		const required = offered.filter((action) => needed.get(action)!.includes(name));
		const optional = offered.filter((action) => !required.includes(action));
		const create = (isMarked: boolean, conditions: Partial<PanelField>): PanelField => {
			const marked = { ...field, required: isMarked || undefined };
			const property = toProperty(name, marked, isTop, isOpen);
			const isInput = field.media !== undefined || field.type === 'objects';
			return { property, isPrimary: isTop, isInput, ...scope, ...conditions };
		};
		if (!offered.length) return [];
		if (!required.length) return [create(false, showUnder(offered))];
		// n8n accepts an empty list in spite of the mark. The prompt is marked for an expression too: nearly all need it.
		const isList = ['links', 'objects'].includes(field.type);
		if (isList ? !optional.length : name === 'prompt' && isAll(required))
			return [create(true, showUnder(required))];
		// n8n shows what depends on an expression in any case. The field is then shown once, without its mark.
		if (isAll(required)) return [create(false, { models: [] }), create(true, { isOwn: true })];
		const unmarked = isAll(offered) ? { hiddenUnder: required } : showUnder(optional);
		return [create(false, unmarked), create(true, { isOwn: true, hiddenUnder: except(required) })];
	});
	const pickers = listAssetPickers(spec.fields).map(({ property, target }): PanelField => ({
		property,
		isPrimary: false,
		isInput: true,
		...scope,
		...showUnder(offeredUnder(target)),
	}));
	return [...fields, ...pickers];
}

/** Any other action, and an expression. */
function except([one, ...more]: string[]): Conditions {
	if (!more.length) return [{ _cnd: { not: one! } }];
	return [...ACTIONS.filter((action) => action !== one && !more.includes(action)), EXPRESSION];
}

/** Joins fields that are the same for several models: a third of the properties is left. */
export function joinPanelFields(fields: readonly PanelField[]): PanelField[] {
	const joined = new Map<string, PanelField>();
	for (const field of fields) {
		const { models, isGeneric, ...same } = field;
		// n8n has the conditions of `isOwn` for one model only.
		const key = JSON.stringify([same, same.isOwn && models]);
		const { models: earlier = [], isGeneric: wasGeneric = false } = joined.get(key) ?? {};
		joined.set(key, {
			...field,
			models: [...earlier, ...models],
			isGeneric: wasGeneric || isGeneric,
		});
	}
	return [...joined.values()].sort((a, b) => widthOf(b) - widthOf(a));
}

/** The widest of one name comes first: n8n's types keep the first one only. */
const widthOf = ({ property: { options } }: PanelField): number => options?.length ?? Infinity;
