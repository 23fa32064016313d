import type { Field } from './families';
import { labelOf, oneOf } from './labels';
import { broken } from './limits';
import { brokenLink } from './links';
import { own } from './getOwn';
import { brokenRules, type Body } from './rules';
import { fieldOf, sheets, type Sheet } from './modelSpec';
import { wrongType } from './jsonTypes';

/** One thing to mend: `field` is the wire name, `message` names it as the panel shows it. */
export interface Issue {
  field: string;
  message: string;
}

/** `issues` stop the request; `advice` does not: the gateway accepts it, with the effect described. */
export interface Verdict {
  issues: Issue[];
  advice: Issue[];
}

/** What the panel's Extra Body holds when it could not be read as JSON and merged. */
const EXTRA_BODY: Field = { type: 'object', says: '' };

const LINKS = new Set<Field['type']>(['link', 'links']);

/**
 * Why one value cannot be sent: type first, then links, then limits. The entries of an `open` model
 * may hold more than is known.
 */
function wrongValue(value: unknown, field: Field, open: boolean): string[] {
  const type = wrongType(value, field);
  if (type) return [type];
  const found: string[] = [];
  if (LINKS.has(field.type))
    for (const link of [value].flat()) found.push(brokenLink(link as string, field) ?? '');
  if (field.entry) for (const entry of value as Body[]) found.push(...wrongEntry(entry, field.entry, open));
  if (!field.otherwise) found.push(broken(value, field)?.refusal ?? '');
  return found.filter(Boolean);
}

function wrongEntry(entry: Body, parts: Record<string, Field>, open: boolean): string[] {
  const found = Object.entries(parts).flatMap(([name, part]) => {
    const label = `${labelOf(name, part)} (${name})`;
    if (name in entry) return wrongValue(entry[name], part, open).map((what) => `in ${label}, ${what}`);
    return part.required ? [`${label} is missing`] : [];
  });
  const alien = open ? [] : Object.keys(entry).filter((name) => !Object.hasOwn(parts, name));
  const taken = oneOf(Object.keys(parts), 'and');
  return [...found, ...alien.map((name) => `${name} is not taken; an entry takes ${taken}`)];
}

const isBlank = (value: unknown) => value === undefined || value === null || (typeof value === 'string' && !value.trim());

function goneMessage(sheet: Sheet): string {
  const { word, successor } = sheet.gone!;
  const instead = successor
    ? `Use ${successor} instead`
    : `Choose another ${sheet.media} model; none is named as its successor`;
  return `Model (model): ${sheet.id} is ${word}, and calls to it are refused. ${instead}`;
}

/** The ids closest to one that no table knows, so that a typing slip is seen. */
export function similarModels(id: string): string[] {
  const key = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  return sheets.filter((sheet) => !sheet.gone && key(sheet.id) === key(id)).map(({ id: known }) => known);
}

/**
 * Holds a request body (without `model`) against the tables: spec sections 2.2, 2.3, 7 and 8.
 * Finds everything at once, throws nothing, and reads values literally: "5" is not 5.
 */
export function check(sheet: Sheet, body: Body): Verdict {
  const issues: Issue[] = [];
  const advice: Issue[] = [];
  if (sheet.gone) return { issues: [{ field: 'model', message: goneMessage(sheet) }], advice };
  const name = (field: string) => `${labelOf(field, fieldOf(sheet, field))} (${field})`;
  const [similar] = sheet.unknown ? similarModels(sheet.id) : [];
  if (similar) issues.push({ field: 'model', message: `Model (model): ${sheet.id} is not known; ${similar} is` });

  for (const [field, value] of Object.entries(body)) {
    const known = fieldOf(sheet, field) ?? (sheet.open && field === 'extra_body' ? EXTRA_BODY : undefined);
    if (!known) {
      if (sheet.open) continue;
      const instead = own(sheet.refused, field) ?? `it takes ${oneOf(Object.keys(sheet.fields), 'and')}`;
      issues.push({ field, message: `${name(field)} is not taken by ${sheet.id}: ${instead}` });
      continue;
    }
    if (known.required && isBlank(value)) continue;
    for (const what of wrongValue(value, known, sheet.open)) issues.push({ field, message: `${name(field)}: ${what}` });
    const odd = known.otherwise && !wrongType(value, known) ? broken(value, known) : undefined;
    const usual = oneOf(known.values ?? []);
    if (odd) advice.push({ field, message: `${name(field)}: ${odd.given} instead of ${usual}; ${known.otherwise}` });
  }
  for (const [field, known] of Object.entries(sheet.fields))
    if (known.required && isBlank(body[field]))
      issues.push({ field, message: `${name(field)} is empty, and ${sheet.id} requires it` });

  for (const { field, says, soft } of brokenRules(sheet, body))
    (soft ? advice : issues).push({ field, message: `${name(field)}${says}` });
  return { issues: eachOnce(issues), advice: eachOnce(advice) };
}

/** Two rules may say the same of one field. */
const eachOnce = (found: Issue[]): Issue[] => [...new Map(found.map((issue) => [issue.message, issue])).values()];
