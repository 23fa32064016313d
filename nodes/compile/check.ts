import type { Field } from '../families';
import { labelOf, oneOf } from './label';
import { broken } from './limits';
import { brokenLink } from './links';
import { brokenRules, isSet, type Body } from './rules';
import { fieldOf, sheets, type Sheet } from './sheet';
import { wrongType } from './types';

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

const LINKS = new Set<Field['type']>(['link', 'links']);

/** Why one value cannot be sent: type first, then links, then limits. */
function wrongValue(value: unknown, field: Field): string[] {
  const type = wrongType(value, field);
  if (type) return [type];
  const found: string[] = [];
  if (LINKS.has(field.type))
    for (const link of [value].flat()) found.push(brokenLink(link as string, field) ?? '');
  if (field.entry)
    for (const entry of value as Body[])
      for (const [name, part] of Object.entries(field.entry)) {
        const within = isSet(entry[name]) ? wrongValue(entry[name], part) : part.required ? ['is missing'] : [];
        found.push(...within.map((what) => `${labelOf(name, part)} ${what}`));
      }
  if (!field.otherwise) found.push(broken(value, field) ?? '');
  return found.filter(Boolean);
}

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
    const known = fieldOf(sheet, field);
    if (!known) {
      if (sheet.open) continue;
      const why = sheet.refused[field];
      const instead = why ?? `it takes ${oneOf(Object.keys(sheet.fields)).replace(/ or (\S+)$/, ' and $1')}`;
      issues.push({ field, message: `${name(field)} is not taken by ${sheet.id}: ${instead}` });
      continue;
    }
    if (known.required && !isSet(value)) continue;
    for (const what of wrongValue(value, known)) issues.push({ field, message: `${name(field)}: ${what}` });
    const odd = known.otherwise && !wrongType(value, known) ? broken(value, known) : undefined;
    if (odd) advice.push({ field, message: `${name(field)}: ${odd}; ${known.otherwise}` });
  }
  for (const [field, known] of Object.entries(sheet.fields))
    if (known.required && !String(body[field] ?? '').trim())
      issues.push({ field, message: `${name(field)} is empty, and ${sheet.id} requires it` });

  for (const { field, says, soft } of brokenRules(sheet, body))
    (soft ? advice : issues).push({ field, message: `${name(field)} ${says}` });
  return { issues, advice };
}
