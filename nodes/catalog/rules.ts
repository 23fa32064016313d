import type { Rule, When } from './families';
import { labelOf, textOf } from './labels';
import { broken } from './limits';
import { fieldOf, type Sheet } from './modelSpec';

export type Body = Record<string, unknown>;

/** Set means more than present: an empty text or list, or a switch left off, is not a choice. */
export function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false;
  return !(Array.isArray(value) && value.length === 0);
}

/** Whether the condition holds for a request; absent fields count with their documented default. */
export function holds(when: When, sheet: Sheet, body: Body): boolean {
  const valueOf = (name: string) => body[name] ?? sheet.fields[name]?.default;
  if (when.action && !when.action.includes(textOf(valueOf('action')))) return false;
  if (when.has && !when.has.some((name) => isSet(body[name]))) return false;
  return Object.entries(when.is ?? {}).every(([name, values]) =>
    values.includes(valueOf(name) as never),
  );
}

/** A rule that the request breaks: which field to mend and what is said after its name. */
export interface Broken {
  field: string;
  /** ` is missing: extend requires …` or `: 7 is given, and 5 or 8 is accepted; between …` */
  says: string;
  /** The gateway would accept it all the same. */
  soft: boolean;
}

const SOFT: ReadonlySet<Rule['rule']> = new Set(['idle', 'advises', 'cites']);

function violations(rule: Rule, sheet: Sheet, body: Body): Omit<Broken, 'soft'>[] {
  const named = (name: string) => labelOf(name, fieldOf(sheet, name));
  const given = (names: readonly string[]) => names.filter((name) => isSet(body[name]));
  const because = (what: string) => ` ${what}: ${rule.says}`;
  switch (rule.rule) {
    case 'requires': {
      if ('allOf' in rule)
        return rule.allOf
          .filter((name) => !isSet(body[name]))
          .map((field) => ({ field, says: because('is missing') }));
      const [first = ''] = rule.anyOf;
      const other = rule.anyOf.slice(1).map((name) => `, and so is ${named(name)}`);
      return given(rule.anyOf).length ? [] : [{ field: first, says: because(`is missing${other.join('')}`) }];
    }
    case 'excludes':
      return given(rule.fields).map((field) => ({ field, says: because('cannot be sent here') }));
    case 'idle':
      return given(rule.fields).map((field) => ({ field, says: because('has no effect here') }));
    case 'limits':
    case 'advises': {
      const { field, to, says } = rule;
      const breach = isSet(body[field]) ? broken(body[field], to) : undefined;
      if (!breach) return [];
      return [{ field, says: `: ${rule.rule === 'limits' ? breach.refusal : breach.given}; ${says}` }];
    }
    case 'cites': {
      const list = body[rule.list];
      const count = Array.isArray(list) ? list.length : 0;
      const pattern = new RegExp(`<<<${rule.token}_(\\d+)>>>`, 'g');
      const off = [...textOf(body[rule.field] ?? '').matchAll(pattern)].find(
        ([, n]) => Number(n) < 1 || Number(n) > count,
      );
      const has = `${named(rule.list)} has ${count || 'no'} ${count === 1 ? 'entry' : 'entries'}`;
      return off ? [{ field: rule.field, says: because(`cites ${off[0]}, and ${has}`) }] : [];
    }
  }
}

/** Every rule of the model that the request breaks. */
export function brokenRules(sheet: Sheet, body: Body): Broken[] {
  return sheet.rules
    .filter((rule) => holds(rule.when, sheet, body))
    .flatMap((rule) =>
      violations(rule, sheet, body).map((broken) => ({ ...broken, soft: SOFT.has(rule.rule) })),
    );
}
