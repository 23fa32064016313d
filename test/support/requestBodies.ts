import { createRandom } from '../../sandbox/random';
import { EVERY_REQUEST, families, type Field, type Rule } from '../../nodes/catalog/families';
import { modelSpecs, type KnownModelSpec } from '../../nodes/catalog/modelSpec';
import { OTHER_SAMPLES, samplesOf, validValue, limitSamples } from './fieldSamples';

/**
 * Request bodies for a model, made from the tables alone: a new model, field, action or rule is
 * covered with nothing added here.
 */

export type Body = Record<string, unknown>;

const unique = <Value>(list: readonly Value[]): Value[] => [
	...new Map(list.map((value) => [JSON.stringify(value), value])).values(),
];

/** All fields of one name in all tables. */
const fieldsByName = new Map<string, Field[]>();
for (const fields of [EVERY_REQUEST, ...modelSpecs.map((spec) => spec.fields)])
	for (const [name, field] of Object.entries(fields) as [string, Field][])
		fieldsByName.set(name, [...(fieldsByName.get(name) ?? []), field]);

/** What every model is tried with under a name: what some model takes, and what none does. */
const samplesByName = new Map(
	[...fieldsByName].map(([name, fields]) => [
		name,
		unique([...unique(fields).flatMap((field) => samplesOf(field)), ...OTHER_SAMPLES]),
	]),
);
for (const { refused = {} } of families)
	for (const name of [...Object.keys(refused), 'extra_body', 'unlisted'])
		if (!samplesByName.has(name)) samplesByName.set(name, [...OTHER_SAMPLES]);

/** What is tried for a field of a model, both sides of the limits of its rules included. */
function samplesFor({ fields, rules }: KnownModelSpec, name: string): unknown[] {
	const field = fields[name];
	const limits = rules.flatMap((rule) => ('to' in rule && rule.field === name ? [rule.to] : []));
	return [
		...samplesByName.get(name)!,
		...(field ? limits.flatMap((limit) => limitSamples(limit, field)) : []),
	];
}

const validFields = ({ fields }: KnownModelSpec, names: readonly string[]): Body =>
	Object.fromEntries(
		names.flatMap((name) => (fields[name] ? [[name, validValue(fields[name])]] : [])),
	);

const isNeed = ({ rule }: Rule) => rule === 'requires';

/** Each way to fulfil what the rules require under an action whatever else is sent. */
function needsOf(spec: KnownModelSpec, action: string): Body[] {
	let ways: Body[] = [{}];
	for (const rule of spec.rules) {
		const { action: actions, has, is } = rule.when;
		if (rule.rule !== 'requires' || has || is || !actions?.includes(action)) continue;
		const choices = 'allOf' in rule ? [[...rule.allOf]] : rule.anyOf.map((name) => [name]);
		ways = ways.flatMap((way) => choices.map((names) => ({ ...way, ...validFields(spec, names) })));
	}
	return ways;
}

/**
 * Bodies to which the rule applies: under each of its actions, with each of its fields, with and without what it is
 * about. Where it depends on a choice, also those with another one.
 */
function conditionsOf(spec: KnownModelSpec, rule: Rule): Body[] {
	const { when } = rule;
	const has = when.has?.map((name) => validFields(spec, [name])) ?? [{}];
	const is = Object.entries(when.is ?? {});
	const met = Object.fromEntries(is.map(([name, accepted]) => [name, accepted[0]]));
	const others = is.flatMap(([name]) =>
		(spec.fields[name]?.enum ?? []).map((choice) => ({ ...met, [name]: choice })),
	);
	const together = when.has ? [validFields(spec, when.has)] : [];
	const actions = spec.actions.filter((action) => when.action?.includes(action) ?? true);
	const subjects = 'fields' in rule ? validFields(spec, rule.fields) : {};
	return actions.flatMap((action) =>
		[...has, ...together].flatMap((set) =>
			[met, ...others].flatMap((choices) => [
				{ action, ...set, ...choices },
				{ action, ...subjects, ...set, ...choices },
			]),
		),
	);
}

/** One body for each way to ask the model: required fields only, each action, the condition of each rule. */
export function minimalBodies(spec: KnownModelSpec): Body[] {
	const required = Object.keys(spec.fields).filter((name) => spec.fields[name]!.required);
	const base = { prompt: 'a kite', ...validFields(spec, required) };
	const actions = spec.actions.flatMap((action) =>
		needsOf(spec, action).map((needs) => ({ ...base, action, ...needs })),
	);
	const conditions = spec.rules
		.flatMap((rule) => conditionsOf(spec, rule))
		.map((condition) => {
			const [needs = {}] = needsOf(spec, condition.action as string);
			return { ...base, ...needs, ...condition };
		});
	return unique([base, ...actions, ...conditions]);
}

/** Every way to ask, with every value that is tried for every field, one field at a time. */
export function* singleChanges(spec: KnownModelSpec): Generator<Body> {
	const names = [...samplesByName.keys()].map((name) => [name, samplesFor(spec, name)] as const);
	for (const way of minimalBodies(spec)) {
		yield way;
		for (const [name, tried] of names) for (const value of tried) yield { ...way, [name]: value };
	}
}

/** Each choice of a field. Of a field without choices, one value that it takes. */
function choicesOf(field: Field): readonly unknown[] {
	return field.enum ?? (field.type === 'boolean' ? [true, false] : [validValue(field)]);
}

/**
 * Every two fields at once with each of their choices, under each action: they meet a condition that a rule of the
 * table has lost, and every price that two choices set.
 */
export function* pairs(spec: KnownModelSpec): Generator<Body> {
	const fields = Object.entries(spec.fields)
		.filter(([name]) => name !== 'action')
		.map(([name, field]) => [name, choicesOf(field)] as const);
	for (const way of minimalBodies({ ...spec, rules: spec.rules.filter(isNeed) }))
		for (const [at, [one, choices]] of fields.entries())
			for (const [other, others] of fields.slice(at + 1))
				for (const choice of choices)
					for (const second of others) yield { ...way, [one]: choice, [other]: second };
}

/** Up to three changes at once by seeded chance: about half of them are taken. */
export function* randomChanges(spec: KnownModelSpec, count: number, seed: number): Generator<Body> {
	const roll = createRandom(seed);
	const pick = <Value>(list: readonly Value[]): Value =>
		list[Math.floor(roll() * list.length)] as Value;
	const names = [...Object.keys(spec.fields), ...Object.keys(EVERY_REQUEST)];
	const tried = new Map([...samplesByName.keys()].map((name) => [name, samplesFor(spec, name)]));
	const ways = minimalBodies(spec);
	for (let made = 0; made < count; made += 1) {
		const body: Body = { ...pick(ways) };
		for (let more = Math.floor(roll() * 4); more > 0; more -= 1) {
			const name = roll() < 0.9 ? pick(names) : pick([...tried.keys()]);
			const field = spec.fields[name];
			const isValid = field && roll() < 0.5;
			body[name] = isValid ? validValue(field) : pick(tried.get(name)!);
		}
		if (roll() < 0.1) delete body[pick(Object.keys(body))];
		yield body;
	}
}
