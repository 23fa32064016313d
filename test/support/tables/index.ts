import type { Family, Model } from '../../../nodes/catalog/families';
import { getLabel, toTitle } from '../../../nodes/catalog/labels';
import { buildModelSpec, type KnownModelSpec } from '../../../nodes/catalog/modelSpec';
import { fieldsOfFamily } from './conditions';
import { fieldProblems } from './fields';
import { priceProblems } from './prices';
import { familyRuleProblems, modelRuleProblems } from './rules';

const repeated = (list: readonly string[]) =>
	list.filter((value, index) => list.indexOf(value) !== index);

/** What a model states beside its fields, rules and price. */
function* modelProblems(model: Model, family: Family, ids: readonly string[]): Generator<string> {
	const { actions, omit = [], fields = {}, deprecated } = model;
	if (!actions.length) yield 'has no action';
	for (const action of repeated(actions)) yield `has the action ${action} twice`;
	for (const name of omit) {
		if (!family.fields[name]) yield `omits ${name}, which the family does not have`;
		if (fields[name]) yield `omits ${name} and states it too`;
	}
	for (const [name, field] of Object.entries(fields)) {
		const missing = (['type', 'description'] as const).filter((key) => !field[key]);
		if (!family.fields[name] && missing.length)
			yield `adds the field ${name} without ${missing.join(' and ')}`;
	}
	const { replacement } = deprecated ?? {};
	if (replacement && !ids.includes(replacement))
		yield `is replaced by ${replacement}, which no family serves`;
}

function* sameLabelProblems({ fields }: KnownModelSpec): Generator<string> {
	const byLabel = new Map<string, string>();
	for (const [name, field] of Object.entries(fields)) {
		const label = getLabel(name, field);
		const other = byLabel.get(label);
		if (other) yield `${other} and ${name} both have the label ${label}`;
		byLabel.set(label, name);
	}
}

/** What a family states beside its models. */
function* familyProblems(family: Family): Generator<string> {
	const models = Object.values(family.models);
	const actions = new Set(models.flatMap((model) => model.actions));
	for (const [name, field] of Object.entries(family.fields)) {
		if (models.every(({ omit }) => omit?.includes(name))) yield `no model takes the field ${name}`;
		for (const action of field.actions ?? [])
			if (!actions.has(action)) yield `${name} is offered under ${action}, which no model has`;
	}
	for (const name of Object.keys(family.refused ?? {}))
		if (fieldsOfFamily(family).has(name)) yield `${name} is refused, and a field of the family too`;
}

/**
 * Everything in the tables that cannot be meant, one sentence each that begins with the model or the
 * family: `clipk-zz: action extend requires video_urls, but the model omits it`.
 */
export function findTableProblems(families: readonly Family[]): string[] {
	const served = families.flatMap(({ models }) =>
		Object.keys(models).filter((id) => !models[id]!.deprecated),
	);
	const all = families.flatMap(({ models }) => Object.keys(models));
	const twice = [
		...repeated(families.map(({ title }) => title)).map(
			(title) => `${title}: two families have this title`,
		),
		...repeated(all).map((id) => `${id}: two families have this model`),
	];
	const titles = families.flatMap((family) => [...fieldsOfFamily(family)]).map(toTitle);
	const isOfOther = (label: string, name: string) =>
		label !== toTitle(name) && titles.includes(label);
	const found = families.flatMap((family) => {
		const models = Object.entries(family.models);
		const specs = models.map(([id, model]) => buildModelSpec(family, id, model));
		const ofModels = models.flatMap(([id, model], index) => {
			const spec = specs[index]!;
			const fields = Object.entries(spec.fields);
			return [
				...modelProblems(model, family, served),
				...fields.flatMap(([name, field]) => [...fieldProblems(name, field)]),
				...sameLabelProblems(spec),
				...fields
					.filter(([name, { label = '', parameter }]) => !parameter && isOfOther(label, name))
					.map(([name, { label }]) => `${name} has the label of another field, ${label}`),
				...Object.entries(model.fields ?? {}).flatMap(([name, { actions = [] }]) =>
					actions
						.filter((action) => !model.actions.includes(action))
						.map((action) => `${name} is offered under ${action}, which the model does not have`),
				),
				...modelRuleProblems(spec, model.omit),
				...priceProblems(spec, family),
			].map((problem) => `${id}: ${problem}`);
		});
		const ofFamily = [...familyProblems(family), ...familyRuleProblems(family, specs)];
		return [...ofFamily.map((problem) => `${family.title}: ${problem}`), ...ofModels];
	});
	return [...new Set([...twice, ...found])];
}

/** Families that a module exports and the index lacks. */
export function findUnlistedFamilies(
	modules: Readonly<Record<string, object>>,
	families: readonly Family[],
): string[] {
	const isFamily = (value: unknown): value is Family =>
		typeof value === 'object' && value !== null && 'models' in value && 'rules' in value;
	return Object.entries(modules).flatMap(([file, exported]) =>
		Object.entries(exported)
			.filter(([, value]) => isFamily(value) && !families.includes(value))
			.map(([name]) => `${file}: the family ${name} is missing in families/index.ts`),
	);
}
