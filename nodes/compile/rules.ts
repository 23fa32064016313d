import type { Rule, When } from '../families';
import { labelOf } from './label';
import { broken } from './limits';
import { fieldOf, type Sheet } from './sheet';

export type Body = Record<string, unknown>;

/** Set means more than present: an empty text or list, or a switch left off, is not a choice. */
export function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false;
  return !(Array.isArray(value) && value.length === 0);
}

/** Whether the condition holds for a request; absent fields count with their documented default. */
export function holds(when: When, sheet: Sheet, body: Body): boolean {
  const valueOf = (name: string) => body[name] ?? sheet.fields[name]?.default;
  if (when.action && !when.action.includes(String(valueOf('action')))) return false;
  if (when.has && !when.has.some((name) => isSet(body[name]))) return false;
  return Object.entries(when.is ?? {}).every(([name, values]) =>
    values.includes(valueOf(name) as never),
  );
}

/** A rule that the request breaks: which field to mend and the sentence to read. */
export interface Broken {
  field: string;
  says: string;
  /** The gateway would accept it all the same. */
  soft: boolean;
}

const SOFT: ReadonlySet<Rule['rule']> = new Set(['idle', 'advises', 'cites']);

function violations(rule: Rule, sheet: Sheet, body: Body): { field: string; what: string }[] {
  const named = (name: string) => labelOf(name, fieldOf(sheet, name));
  const given = (names: readonly string[]) => names.filter((name) => isSet(body[name]));
  switch (rule.rule) {
    case 'requires': {
      if ('allOf' in rule)
        return rule.allOf
          .filter((name) => !isSet(body[name]))
          .map((field) => ({ field, what: 'is missing' }));
      const [first = ''] = rule.anyOf;
      const other = rule.anyOf.slice(1).map((name) => `, and so is ${named(name)}`);
      return given(rule.anyOf).length ? [] : [{ field: first, what: `is missing${other.join('')}` }];
    }
    case 'excludes':
      return given(rule.fields).map((field) => ({ field, what: 'cannot be sent here' }));
    case 'idle':
      return given(rule.fields).map((field) => ({ field, what: 'has no effect here' }));
    case 'limits':
    case 'advises': {
      const what = isSet(body[rule.field]) ? broken(body[rule.field], rule.to) : undefined;
      return what ? [{ field: rule.field, what }] : [];
    }
    case 'cites': {
      const list = body[rule.list];
      const count = Array.isArray(list) ? list.length : 0;
      const pattern = new RegExp(`<<<${rule.token}_(\\d+)>>>`, 'g');
      const off = [...String(body[rule.field] ?? '').matchAll(pattern)].find(
        ([, n]) => Number(n) < 1 || Number(n) > count,
      );
      return off ? [{ field: rule.field, what: `cites ${off[0]}, and ${count} are given` }] : [];
    }
  }
}

/** Every rule of the model that the request breaks. */
export function brokenRules(sheet: Sheet, body: Body): Broken[] {
  return sheet.rules
    .filter((rule) => holds(rule.when, sheet, body))
    .flatMap((rule) =>
      violations(rule, sheet, body).map(({ field, what }) => ({
        field,
        says: `${what}: ${rule.says}`,
        soft: SOFT.has(rule.rule),
      })),
    );
}
