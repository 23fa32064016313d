import type { Family, Field, Limits, Rule } from '../../../nodes/catalog/families';
import type { KnownModelSpec } from '../../../nodes/catalog/modelSpec';
import { getLabel, toTitle } from '../../../nodes/catalog/labels';
import { isVisible } from '../../../nodes/catalog/visibility';
import { fieldsOfFamily, isPossible, unknownNames } from './conditions';
import { accepts } from './fields';

/** The fields that a rule is about, beside those of its condition. */
function fieldsOfRule(rule: Rule): readonly string[] {
	if ('fields' in rule) return rule.fields;
	if ('allOf' in rule) return rule.allOf;
	if ('anyOf' in rule) return rule.anyOf;
	return rule.rule === 'references' ? [rule.field, rule.list] : [rule.field];
}

/** Whether a limit refuses something that the field takes. */
function isNarrower(
	{ enum: choices, min, max, maxLength, minItems, maxItems }: Limits,
	field: Field,
) {
	const below = (bound: number | undefined, other: number | undefined) =>
		bound !== undefined && (other === undefined || bound < other);
	const above = (bound: number | undefined, other: number | undefined) =>
		bound !== undefined && (other === undefined || bound > other);
	return (
		choices !== undefined ||
		above(min, field.min) ||
		below(max, field.max) ||
		below(maxLength, field.maxLength) ||
		above(minItems, field.minItems) ||
		below(maxItems, field.maxItems)
	);
}

/** Whether some request to the model breaks the rule. */
function canFire(rule: Rule, spec: KnownModelSpec): boolean {
	if (!isPossible(rule.when, spec)) return false;
	const taken = fieldsOfRule(rule).filter((name) => spec.fields[name]);
	switch (rule.rule) {
		case 'requires':
			return fieldsOfRule(rule).some((name) => !spec.fields[name]?.required);
		case 'limits':
		case 'recommends':
			return taken.some((name) => isNarrower(rule.to, spec.fields[name]!));
		case 'references':
			return taken.length === 2;
		default:
			return taken.some((name) => !rule.when.has?.every((other) => other === name));
	}
}

const RESOLUTION = /\b[\d.]+([pkK]|mp)\b/g;
const MODEL_ID = /[a-z]+-[\w.-]+/g;
const numbersIn = (text: string): string[] => text.replaceAll(',', ' ').match(/\d+(\.\d+)?/g) ?? [];

/** Words with a capital inside a sentence that are neither of a label of the family nor of its actions. */
function capitalsBesideLabels(sentence: string, specs: readonly KnownModelSpec[]): string[] {
	const labels = specs.flatMap(({ fields, actions }) => [
		...Object.entries(fields).map(([name, field]) => getLabel(name, field)),
		...actions.map(toTitle),
	]);
	const longestFirst = [...new Set(labels)].sort((a, b) => b.length - a.length);
	const rest = longestFirst.reduce((text, label) => text.replaceAll(label, '_'), sentence);
	return rest.match(/(?<=\S )[A-Z][a-z]+( [A-Z]\w+)*/g) ?? [];
}

/** What is wrong with the rules of a family, whatever the model. */
export function* familyRuleProblems(
	family: Family,
	specs: readonly KnownModelSpec[],
): Generator<string> {
	const fields = fieldsOfFamily(family);
	for (const rule of family.rules) {
		const name = `rule "${rule.description}"`;
		if (!/^([A-Z]|[a-z]+-[\w.-]+ )/.test(rule.description) || rule.description.endsWith('.'))
			yield `${name} is no sentence with a capital and without a period`;
		const unknown = [
			...unknownNames(rule.when, family),
			...fieldsOfRule(rule)
				.filter((field) => !fields.has(field))
				.map((field) => `the field ${field}`),
		];
		for (const what of unknown) yield `${name} names ${what}, which the family does not have`;
		if (!unknown.length && !specs.some((spec) => canFire(rule, spec)))
			yield `${name} can never apply to any model`;
		for (const words of capitalsBesideLabels(rule.description, specs))
			yield `${name} says ${words}, which is no label of the family`;
		if ('to' in rule) {
			const stated = numbersIn(JSON.stringify([rule.when, rule.to]));
			const named = numbersIn(rule.description.replace(MODEL_ID, ''));
			for (const number of named.filter((each) => !stated.includes(each)))
				yield `${name} says ${number}, which is not in it`;
		}
		yield* specs.flatMap((spec) =>
			fieldsOfRule(rule).flatMap((field) => {
				const [title, label] = [toTitle(field), getLabel(field, spec.fields[field])];
				const isNamed = !label.includes(title) && rule.description.includes(title);
				return isNamed ? [`${name} says ${title}, but the label is ${label}`] : [];
			}),
		);
		if (rule.rule === 'references' && specs.every((spec) => !isList(spec.fields[rule.list])))
			yield `${name} refers to entries of ${rule.list}, which is no list`;
	}
}

const isList = (field: Field | undefined) => field !== undefined && /s$/.test(field.type);

/** Whether the panel offers the field under the action. */
const isOffered = (spec: KnownModelSpec, name: string, action: string) =>
	Boolean(spec.fields[name]) && isVisible(spec, name, action);

/** What the rules require of one model that it does not take or offer. */
export function* modelRuleProblems(
	spec: KnownModelSpec,
	omitted: readonly string[] = [],
): Generator<string> {
	const missing = (name: string, action: string) =>
		spec.fields[name]
			? `the panel does not offer it under ${action}`
			: omitted.includes(name)
				? 'the model omits it'
				: 'the model does not have it';
	const choices = Object.values(spec.fields)
		.flatMap(({ enum: values = [] }) => values.map(String))
		.filter((value) => value.match(RESOLUTION));
	for (const rule of spec.rules) {
		if (!isPossible(rule.when, spec)) continue;
		// A model that lets nobody choose may say what it makes.
		const named = (choices.length && rule.description.match(RESOLUTION)) || [];
		for (const value of named.filter((each) => !choices.includes(each)))
			yield `rule "${rule.description}" says ${value}, which the model does not offer`;
		if (rule.rule === 'requires') {
			const actions = rule.when.action ?? (rule.when.has ? [] : spec.actions);
			for (const action of actions.filter((each) => spec.actions.includes(each))) {
				const names = fieldsOfRule(rule);
				const unoffered = names.filter((name) => !isOffered(spec, name, action));
				if ('anyOf' in rule && unoffered.length < names.length) continue;
				for (const name of unoffered)
					yield `action ${action} requires ${name}, but ${missing(name, action)}`;
			}
			if (rule.when.has)
				for (const name of fieldsOfRule(rule).filter((each) => !spec.fields[each]))
					yield `${rule.when.has.join(' or ')} requires ${name}, but the model does not take it`;
		}
		if (rule.rule === 'limits' || rule.rule === 'recommends') {
			const field = spec.fields[rule.field];
			const impossible = rule.to.enum?.filter((value) => field && !accepts(field, value)) ?? [];
			for (const value of impossible)
				yield `rule "${rule.description}" allows ${rule.field} ${value}, which the model refuses`;
		}
	}
}
