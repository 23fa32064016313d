import {
	COMMON_ACTIONS,
	COMMON_FIELDS,
	EVERY_REQUEST,
	families,
	type Family,
	type Field,
	type Media,
	type Model,
	type Price,
	type Rule,
} from './families';
import { getOwn } from './getOwn';

/** One model with everything its family says about it in one place. Compiled once, never changed. */
export interface ModelSpec {
	id: string;
	media: Media | 'text';
	family: string;
	section: string;
	/** First is the default. */
	actions: readonly string[];
	/** By wire name, `action` included; does not hold the fields of every request. */
	fields: Readonly<Record<string, Field>>;
	rules: readonly Rule[];
	refused: Readonly<Record<string, string>>;
	price: Price;
	/** Fields beside the known ones pass: the spec names the model without them, or not at all. */
	open: boolean;
	/** No table speaks for this model. */
	unknown: boolean;
	deprecated?: Model['deprecated'];
	files: readonly string[];
}

const isFor = ({ when }: Rule, id: string, { actions }: Model) =>
	(!when.models || when.models.includes(id)) &&
	(!when.action || when.action.some((action) => actions.includes(action)));

function actionField(actions: readonly string[], open: boolean): Field {
	return {
		type: 'string',
		primary: true,
		enum: actions,
		default: actions[0],
		description: 'What the model does',
		...(open && { otherwise: 'it is passed on as it is' }),
	};
}

function buildModelSpec(family: Family, id: string, model: Model): ModelSpec {
	const names = new Set([...Object.keys(family.fields), ...Object.keys(model.fields ?? {})]);
	const fields: Record<string, Field> = { action: actionField(model.actions, model.open === true) };
	for (const name of names) {
		if (model.omit?.includes(name)) continue;
		fields[name] = { ...family.fields[name], ...model.fields?.[name] } as Field;
	}
	return {
		id,
		media: family.media,
		family: family.title,
		section: model.section ?? family.section,
		actions: model.actions,
		fields,
		rules: family.rules.filter((rule) => isFor(rule, id, model)),
		refused: family.refused ?? {},
		price: model.price,
		open: model.open === true,
		unknown: false,
		deprecated: model.deprecated,
		files: family.files ?? [],
	};
}

/** Every model of every family, served or gone, in the order of the tables. */
export const modelSpecs: readonly ModelSpec[] = families.flatMap((family) =>
	Object.entries(family.models).map(([id, model]) => buildModelSpec(family, id, model)),
);

const byId = new Map(modelSpecs.map((spec) => [spec.id, spec]));

/**
 * What is known about a model. An id without a table gets the common fields of spec section 2.2,
 * and everything else passes ("more are added over time").
 */
export function getModelSpec(id: string, media: Media = 'image'): ModelSpec {
	return (
		byId.get(id) ?? {
			id,
			media,
			family: 'Any other model',
			section: '2.2 Common request fields',
			actions: COMMON_ACTIONS[media],
			fields: { action: actionField(COMMON_ACTIONS[media], true), ...COMMON_FIELDS },
			rules: [],
			refused: {},
			price: { per: 'unknown', description: 'No price is stated' },
			open: true,
			unknown: true,
			files: [],
		}
	);
}

/** The field as the request takes it: of the model, or of every request (spec section 2.2). */
export function getField(spec: ModelSpec, name: string): Field | undefined {
	return getOwn(spec.fields, name) ?? getOwn<Field>(EVERY_REQUEST, name);
}
