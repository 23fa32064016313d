import { describeActions, labelAction } from './actions';
import {
	COMMON_ACTIONS,
	COMMON_FIELDS,
	COMMON_VIDEO_FIELDS,
	EVERY_REQUEST,
	families,
	type Family,
	type Field,
	type Media,
	type Model,
	type Price,
	type Rule,
} from './families';
import type { RequestSpec } from './requestSpec';

interface MediaRequestSpec extends RequestSpec {
	/** The first is the default. */
	actions: readonly string[];
	price: Price;
}

/** A model with everything that its family's table states. Built once. */
export interface KnownModelSpec extends MediaRequestSpec {
	unknown: false;
	media: Media;
	/** Title of the family. */
	family: string;
	/** Section of the gateway's interface description. */
	section: string;
	files: readonly string[];
}

/** A model without a table. It may take the common fields of spec section 2.2, and any other. */
export interface GenericModelSpec extends MediaRequestSpec {
	unknown: true;
	/** Known in a panel only. */
	media?: Media;
}

export type ModelSpec = KnownModelSpec | GenericModelSpec;

const isFor = ({ when }: Rule, id: string, { actions }: Model) =>
	(!when.models || when.models.includes(id)) &&
	(!when.action || when.action.some((action) => actions.includes(action)));

function actionField(
	actions: readonly string[],
	open: boolean,
	rules: readonly Rule[],
	fields: RequestSpec['fields'],
	media: Media = 'image',
): Field {
	return {
		type: 'string',
		label: 'Mode',
		primary: true,
		enum: actions,
		default: actions[0],
		choiceLabels: Object.fromEntries(
			actions.map((action) => [action, labelAction(action, media)] as const),
		),
		choices: describeActions(actions, rules, fields),
		description: 'What to do',
		...(open && { fallback: 'It is sent as it is' }),
	};
}

export function buildModelSpec(family: Family, id: string, model: Model): KnownModelSpec {
	const names = new Set([...Object.keys(family.fields), ...Object.keys(model.fields ?? {})]);
	const taken: Record<string, Field> = {};
	for (const name of names) {
		if (model.omit?.includes(name)) continue;
		taken[name] = { ...family.fields[name], ...model.fields?.[name] } as Field;
	}
	const open = model.open === true;
	const rules = family.rules.filter((rule) => isFor(rule, id, model));
	return {
		id,
		unknown: false,
		media: family.media,
		family: family.title,
		section: model.section ?? family.section,
		actions: model.actions,
		fields: { action: actionField(model.actions, open, rules, taken, family.media), ...taken },
		everyRequest: EVERY_REQUEST,
		rules,
		refused: family.refused,
		price: model.price,
		open,
		deprecated: model.deprecated,
		files: family.files ?? [],
	};
}

/** Every model of every family, deprecated ones too. */
export const modelSpecs: readonly KnownModelSpec[] = families.flatMap((family) =>
	Object.entries(family.models).map(([id, model]) => buildModelSpec(family, id, model)),
);

const byId = new Map(modelSpecs.map((spec) => [spec.id, spec]));

/** Undefined for an ID that no table has. */
export const findModelSpec = (id: string): KnownModelSpec | undefined => byId.get(id);

const ALL_ACTIONS = [...new Set([...COMMON_ACTIONS.image, ...COMMON_ACTIONS.video])];

/** Fields of a model without a table: spec section 2.2, "more are added over time". */
export function genericModelSpec(media?: Media): Omit<GenericModelSpec, 'id'> {
	const actions = media ? COMMON_ACTIONS[media] : ALL_ACTIONS;
	const fields = media === 'video' ? COMMON_VIDEO_FIELDS : COMMON_FIELDS;
	return {
		unknown: true,
		media,
		actions,
		fields: { action: actionField(actions, true, [], fields, media), ...fields },
		everyRequest: EVERY_REQUEST,
		rules: [],
		price: { per: 'unknown', description: 'No price is stated' },
		open: true,
	};
}

/** The spec of any ID. A panel passes its `media`; otherwise an unknown model may take the actions of both. */
export function getModelSpec(id: string, media: Media): ModelSpec & { media: Media };
export function getModelSpec(id: string, media?: Media): ModelSpec;
export function getModelSpec(id: string, media?: Media): ModelSpec {
	return (
		findModelSpec(id) ?? { ...genericModelSpec(media), id, similarId: findSimilarModels(id)[0] }
	);
}

/** Served IDs that differ only in case or punctuation: probably a typing slip. */
function findSimilarModels(id: string): string[] {
	const key = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
	return modelSpecs
		.filter((spec) => !spec.deprecated && key(spec.id) === key(id))
		.map(({ id: known }) => known);
}
