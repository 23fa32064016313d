import { isBlank, toText } from './json';
import type { Rule, When } from './schema';
import { getLabel, joinWords } from './labels';
import { findLimitProblem } from './limits';
import { getField, type RequestSpec } from './requestSpec';

export type RequestBody = Record<string, unknown>;

/** One thing to change. `field` is the wire name; `message` uses the label. */
export interface Issue {
	field: string;
	message: string;
}

/** Whether a value is set. An empty text, an empty list and a switch that is off are not. */
const hasValue = (value: unknown): boolean =>
	!isBlank(value) && value !== false && !(Array.isArray(value) && value.length === 0);

/** Whether the condition holds. Absent fields count with their documented default. */
export function matches(when: When, { fields }: RequestSpec, body: RequestBody): boolean {
	const valueOf = (name: string) => body[name] ?? fields[name]?.default;
	if (when.action && !when.action.includes(toText(valueOf('action')))) return false;
	if (when.has && !when.has.some((name) => hasValue(body[name]))) return false;
	return Object.entries(when.is ?? {}).every(([name, accepted]) =>
		accepted.includes(valueOf(name) as never),
	);
}

/** The gateway accepts a request that breaks such a rule. */
export const isWarning = ({ rule }: Rule): boolean =>
	['ignored', 'recommends', 'references'].includes(rule);

/** How the request breaks the rule: what is wrong, then the sentence of the rule. */
export function findViolations(rule: Rule, spec: RequestSpec, body: RequestBody): Issue[] {
	if (!matches(rule.when, spec, body)) return [];
	const { description } = rule;
	const label = (name: string) => getLabel(name, getField(spec, name));
	const isSet = (name: string) => hasValue(body[name]);
	const violation = (field: string, problem: string) => ({
		field,
		message: `${problem}. ${description}`,
	});
	switch (rule.rule) {
		case 'requires': {
			const missing = 'allOf' in rule ? rule.allOf.filter((name) => !isSet(name)) : rule.anyOf;
			const [first] = missing;
			if (first === undefined || ('anyOf' in rule && missing.some(isSet))) return [];
			const labels = joinWords(missing.map(label), 'and');
			return [violation(first, `${labels} ${missing.length > 1 ? 'are' : 'is'} empty`)];
		}
		case 'excludes':
			return rule.fields.filter(isSet).map((name) => {
				const isSwitch = getField(spec, name)?.type === 'boolean';
				return violation(name, `${label(name)} must be ${isSwitch ? 'off' : 'empty'}`);
			});
		case 'ignored':
			return rule.fields.filter(isSet).map((field) => ({ field, message: description }));
		case 'limits':
		case 'recommends': {
			const { field, to } = rule;
			const problem = isSet(field) && findLimitProblem(body[field], to, isWarning(rule));
			return problem ? [violation(field, `${label(field)} ${problem}`)] : [];
		}
		case 'references': {
			const list = body[rule.list];
			const count = Array.isArray(list) ? list.length : 0;
			const references = toText(body[rule.field] ?? '').matchAll(
				new RegExp(`<<<${rule.token}_(\\d+)>>>`, 'g'),
			);
			const missing = [...references].find(([, n]) => Number(n) < 1 || Number(n) > count);
			if (!missing) return [];
			const has = `${label(rule.list)} has ${count || 'no'} ${count === 1 ? 'entry' : 'entries'}`;
			return [violation(rule.field, `${label(rule.field)} refers to ${missing[0]}, but ${has}`)];
		}
	}
}
