import { describeActions, labelAction } from './actions';
import {
	COMMON_ACTIONS,
	COMMON_FIELDS,
	COMMON_VIDEO_FIELDS,
	EVERY_REQUEST,
	families,
} from './families';
import { joinWords } from './labels';
import { KIND_NOUNS, LISTED_KINDS, type ModelKind } from './listedKinds';
import type { RequestSpec } from './requestSpec';
import type { Family, Field, Media, Model, Price, Rule } from './schema';

/** Without a table, a model may take the common fields of spec section 2.2, and any other. */
export interface ModelSpec extends RequestSpec {
	/** The first is the default. */
	actions: readonly string[];
	price: Price;
	/** Of a model without a table: known only in a panel. */
	media?: Media;
	/** Title of the family, of a model with a table. */
	family?: string;
}

/** A model with everything that its family's table states. Built once. */
export type KnownModelSpec = ModelSpec & Required<Pick<ModelSpec, 'media' | 'family'>>;

const isFor = ({ when }: Rule, id: string, { actions }: Model) =>
	(!when.models || when.models.includes(id)) &&
	(!when.action || when.action.some((action) => actions.includes(action)));

/** With the field that chooses the action. */
function withAction<Spec extends Omit<ModelSpec, 'id'>>(spec: Spec): Spec {
	const { actions, open, fields, media = 'image' } = spec;
	const field: Field = {
		type: 'string',
		label: 'Mode',
		primary: true,
		enum: actions,
		default: actions[0],
		choiceLabels: Object.fromEntries(
			actions.map((action) => [action, labelAction(action, media, fields)] as const),
		),
		choices: describeActions(spec),
		description: 'What to make, and from what',
		...(open && { otherValues: 'It is sent as it is' }),
	};
	return { ...spec, fields: { action: field, ...fields } };
}

export function buildModelSpec(family: Family, id: string, model: Model): KnownModelSpec {
	const names = Object.keys({ ...family.fields, ...model.fields });
	const taken = names
		.filter((name) => !model.omit?.includes(name))
		.map((name) => [name, { ...family.fields[name], ...model.fields?.[name] } as Field] as const);
	return withAction({
		id,
		media: family.media,
		family: family.title,
		actions: model.actions,
		fields: Object.fromEntries(taken),
		everyRequest: EVERY_REQUEST,
		rules: family.rules.filter((rule) => isFor(rule, id, model)),
		refused: family.refused,
		price: model.price,
		open: model.open === true,
		deprecated: model.deprecated,
	});
}

/** Every model of every family, deprecated ones too. */
export const modelSpecs: readonly KnownModelSpec[] = families.flatMap((family) =>
	Object.entries(family.models).map(([id, model]) => buildModelSpec(family, id, model)),
);

export const servedSpecs: readonly KnownModelSpec[] = modelSpecs.filter(
	({ deprecated }) => !deprecated,
);

const byId = new Map(modelSpecs.map((spec) => [spec.id, spec]));

export const findModelSpec = (id: string): KnownModelSpec | undefined => byId.get(id);

/** Undefined for a model that no table or list has. */
export const getModelKind = (id: string): ModelKind | undefined =>
	findModelSpec(id)?.media ?? LISTED_KINDS.get(id);

/** Why a model cannot be used, after its ID: it is of another kind. Models that are not known pass. */
export function findKindProblem(id: string, kinds: readonly ModelKind[]): string | undefined {
	const kind = getModelKind(id);
	if (!kind || kinds.includes(kind)) return undefined;
	return `is for ${KIND_NOUNS[kind]}, not ${joinWords(kinds.map((wanted) => KIND_NOUNS[wanted]))}`;
}

const ALL_ACTIONS = [...new Set([...COMMON_ACTIONS.image, ...COMMON_ACTIONS.video])];

/** Fields of a model without a table: spec section 2.2, "more are added over time". */
export function genericModelSpec(media?: Media): Omit<ModelSpec, 'id'> {
	return withAction({
		media,
		actions: media ? COMMON_ACTIONS[media] : ALL_ACTIONS,
		fields: media === 'video' ? COMMON_VIDEO_FIELDS : COMMON_FIELDS,
		everyRequest: EVERY_REQUEST,
		rules: [],
		price: { per: 'unknown', description: 'No price is stated' },
		open: true,
	});
}

/** The spec of any ID. A panel passes its `media`; otherwise an unknown model may take the actions of both. */
export function getModelSpec(id: string, media?: Media): ModelSpec {
	const known = findModelSpec(id);
	if (known) return known;
	return { ...genericModelSpec(media), id, idProblem: findIdProblem(id) };
}

/** A typing slip: a served ID that differs only in case or punctuation. */
function findIdProblem(id: string): string | undefined {
	const key = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
	const similar = servedSpecs.find((spec) => key(spec.id) === key(id));
	return similar && `Model ${id} is unknown. Did you mean ${similar.id}?`;
}
