import type { Rule, When } from './families';
import { getLabel, toText } from './labels';
import { findLimitViolation } from './limits';
import { getField, type ModelSpec } from './modelSpec';

export type RequestBody = Record<string, unknown>;

/** Set means more than present: an empty text or list, or a switch left off, is not a choice. */
export function hasValue(value: unknown): boolean {
	if (value === undefined || value === null || value === '' || value === false) return false;
	return !(Array.isArray(value) && value.length === 0);
}

/** Whether the condition holds for a request; absent fields count with their documented default. */
export function matches(when: When, spec: ModelSpec, body: RequestBody): boolean {
	const valueOf = (name: string) => body[name] ?? spec.fields[name]?.default;
	if (when.action && !when.action.includes(toText(valueOf('action')))) return false;
	if (when.has && !when.has.some((name) => hasValue(body[name]))) return false;
	return Object.entries(when.is ?? {}).every(([name, values]) =>
		values.includes(valueOf(name) as never),
	);
}

/** A rule that the request breaks: which field to mend and what is said after its name. */
export interface RuleViolation {
	field: string;
	/** ` is missing: extend requires …` or `: 7 is given, and 5 or 8 is accepted; between …` */
	problem: string;
	/** The gateway would accept it all the same. */
	isWarning: boolean;
}

const SOFT: ReadonlySet<Rule['rule']> = new Set(['ignored', 'advises', 'references']);

function violations(
	rule: Rule,
	spec: ModelSpec,
	body: RequestBody,
): Omit<RuleViolation, 'isWarning'>[] {
	const named = (name: string) => getLabel(name, getField(spec, name));
	const given = (names: readonly string[]) => names.filter((name) => hasValue(body[name]));
	const because = (what: string) => ` ${what}: ${rule.description}`;
	switch (rule.rule) {
		case 'requires': {
			if ('allOf' in rule)
				return rule.allOf
					.filter((name) => !hasValue(body[name]))
					.map((field) => ({ field, problem: because('is missing') }));
			const [first = ''] = rule.anyOf;
			const other = rule.anyOf.slice(1).map((name) => `, and so is ${named(name)}`);
			return given(rule.anyOf).length
				? []
				: [{ field: first, problem: because(`is missing${other.join('')}`) }];
		}
		case 'excludes':
			return given(rule.fields).map((field) => ({
				field,
				problem: because('cannot be sent here'),
			}));
		case 'ignored':
			return given(rule.fields).map((field) => ({ field, problem: because('has no effect here') }));
		case 'limits':
		case 'advises': {
			const { field, to, description } = rule;
			const breach = hasValue(body[field]) ? findLimitViolation(body[field], to) : undefined;
			if (!breach) return [];
			return [
				{
					field,
					problem: `: ${rule.rule === 'limits' ? breach.refusal : breach.given}; ${description}`,
				},
			];
		}
		case 'references': {
			const list = body[rule.list];
			const count = Array.isArray(list) ? list.length : 0;
			const pattern = new RegExp(`<<<${rule.token}_(\\d+)>>>`, 'g');
			const off = [...toText(body[rule.field] ?? '').matchAll(pattern)].find(
				([, n]) => Number(n) < 1 || Number(n) > count,
			);
			const has = `${named(rule.list)} has ${count || 'no'} ${count === 1 ? 'entry' : 'entries'}`;
			return off ? [{ field: rule.field, problem: because(`cites ${off[0]}, and ${has}`) }] : [];
		}
	}
}

/** Every rule of the model that the request breaks. */
export function findRuleViolations(spec: ModelSpec, body: RequestBody): RuleViolation[] {
	return spec.rules
		.filter((rule) => matches(rule.when, spec, body))
		.flatMap((rule) =>
			violations(rule, spec, body).map((broken) => ({ ...broken, isWarning: SOFT.has(rule.rule) })),
		);
}
