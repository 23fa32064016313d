import { listAssetPickers } from './assetPickers';
import { describeTogether, isSharedText, type Described } from './describe';
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
	media: Media[];
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
	/** What the tables state, for a text that holds for all of the models; none for a list of assets. */
	described: Described[];
}

/** The actions of some models, by whether a field is offered. */
interface Actions {
	offered: string[];
	others: string[];
}

/** The fields of one model, or without an `id` those of any model that no table has. */
export function listPanelFields(spec: PanelSpec, media: Media, id?: string): PanelField[] {
	const models = id === undefined ? [] : [id];
	const scope = { media: [media], models, isGeneric: id === undefined, isOpen: spec.open };
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
			const described = [{ field, models }];
			return { name: parameter, property, isPrimary: isTop, ...scope, actions, described, marked };
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
		return { name, property, isPrimary: false, ...scope, described: [] };
	});
	return [...fields, ...pickers];
}

/**
 * Whether one condition says for the models of both when the field is offered: an action that a model
 * does not have is refused anyway.
 */
function agree(a: Actions | undefined, b: Actions | undefined): boolean {
	if (!a || !b) return a === b;
	return (
		!a.offered.some((action) => b.others.includes(action)) &&
		!a.others.some((action) => b.offered.includes(action))
	);
}

/**
 * Whether one condition says for which models the field is: "any that no table has" is said by hiding
 * it from the others, of one media or of both.
 */
const canShareModels = (a: PanelField, b: PanelField): boolean =>
	a.media.join() === b.media.join() || (a.isGeneric === b.isGeneric && a.isPrimary);

function addNew<T>(list: T[], added: readonly T[]): void {
	for (const item of added) if (!list.includes(item)) list.push(item);
}

const copyOf = (field: PanelField): PanelField => ({
	...field,
	media: [...field.media],
	models: [...field.models],
	described: [...field.described],
	...(field.actions && {
		actions: { offered: [...field.actions.offered], others: [...field.actions.others] },
	}),
});

/** Each field joined to the first one that it can be one with. */
function joinAll(fields: readonly PanelField[]): PanelField[] {
	const joined = new Map<string, PanelField[]>();
	for (const field of fields) {
		const { name, property, isPrimary: isTop, isOpen, marked } = field;
		const description = isSharedText(name, field.described) ? '' : property.description;
		const key = JSON.stringify([{ ...property, description }, isTop, isOpen, marked]);
		const same = joined.get(key) ?? [];
		joined.set(key, same);
		const first = same.find(
			(other) => agree(other.actions, field.actions) && canShareModels(other, field),
		);
		if (!first) {
			same.push(copyOf(field));
			continue;
		}
		addNew(first.media, field.media);
		first.models.push(...field.models);
		first.described.push(...field.described);
		first.isGeneric ||= field.isGeneric;
		if (!first.actions || !field.actions) continue;
		addNew(first.actions.offered, field.actions.offered);
		addNew(first.actions.others, field.actions.others);
	}
	return [...joined.values()].flat();
}

/**
 * The fields of all models with as few properties as say the same, since n8n goes through all
 * properties at every keystroke: fields of one model are alike but for their texts, or offered under
 * other actions.
 */
export function mergePanelFields(fields: readonly PanelField[]): PanelField[] {
	const ofMedia = (media: Media) => fields.filter((field) => field.media.includes(media));
	return joinAll([...joinAll(ofMedia('image')), ...joinAll(ofMedia('video'))])
		.map((field) => ({ ...field, property: withSharedText(field) }))
		.sort((a, b) => widthOf(b) - widthOf(a));
}

const withSharedText = ({ name, property, described }: PanelField): UnconditionalProperty =>
	isSharedText(name, described)
		? { ...property, description: describeTogether(name, described) }
		: property;

/** How much a property takes. The widest of one name comes first: n8n's types keep the first one only. */
const widthOf = ({ property: { options } }: PanelField): number => options?.length ?? Infinity;
