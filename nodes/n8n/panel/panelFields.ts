import { listAssetPickers } from './assetPickers';
import { describeTogether, isSharedText, type Described } from './describe';
import { toProperty, type UnconditionalProperty } from './property';
import type { Media } from '../../catalog/families';
import { isPrimary, isVisible } from '../../catalog/visibility';
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
	/** Undefined where the field is offered under every action of the models. */
	actions?: Actions;
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
	const scope = { media: [media], models, isGeneric: id === undefined };
	const fields = Object.entries(spec.fields).flatMap(([name, field]): PanelField[] => {
		const offered = spec.actions.filter((action) => isVisible(spec, name, action));
		if (!offered.length) return [];
		const others = spec.actions.filter((action) => !offered.includes(action));
		const isTop = isPrimary(spec, name);
		const property = toProperty(name, field, isTop, spec.open);
		const actions = others.length ? { offered, others } : undefined;
		return [
			{ name, property, isPrimary: isTop, ...scope, actions, described: [{ field, models }] },
		];
	});
	const pickers = listAssetPickers(spec).map(({ name, property }): PanelField => {
		return { name, property, isPrimary: false, ...scope, described: [] };
	});
	return [...fields, ...pickers];
}

const union = <T>(a: readonly T[], b: readonly T[]): T[] => [...new Set([...a, ...b])];

/**
 * The actions of both, where one condition says for all their models when the field is offered: an
 * action that a model does not have is refused anyway. Undefined where they contradict each other.
 */
function joinActions(a: Actions | undefined, b: Actions | undefined): Actions | undefined {
	if (!a || !b) return undefined;
	const [offered, others] = [union(a.offered, b.offered), union(a.others, b.others)];
	return offered.some((action) => others.includes(action)) ? undefined : { offered, others };
}

/** Both as one field, where the same property and one condition do for both. */
function join(a: PanelField, b: PanelField): PanelField | undefined {
	const actions = joinActions(a.actions, b.actions);
	if (!actions && (a.actions ?? b.actions)) return undefined;
	// "Any model that no table has" is said by hiding the field from the others, of one media or of both.
	const isOneMedia = a.media.join() === b.media.join();
	if (!isOneMedia && (a.isGeneric !== b.isGeneric || !a.isPrimary)) return undefined;
	return {
		...a,
		actions,
		media: union(a.media, b.media),
		models: union(a.models, b.models),
		isGeneric: a.isGeneric || b.isGeneric,
		described: [...a.described, ...b.described],
	};
}

/** Each field joined to the first one that it can be one with. */
function joinAll(fields: readonly PanelField[]): PanelField[] {
	const joined = new Map<string, PanelField[]>();
	for (const field of fields) {
		const { name, property, isPrimary: isTop } = field;
		const description = isSharedText(name, field.described) ? '' : property.description;
		const key = JSON.stringify([{ ...property, description }, isTop]);
		const same = joined.get(key) ?? [];
		const at = same.findIndex((other) => join(other, field));
		if (at < 0) joined.set(key, [...same, field]);
		else same[at] = join(same[at]!, field)!;
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
