import { EVERY_REQUEST, families, type Field, type Rule } from '../../nodes/catalog/families';
import { getLabel, toTitle } from '../../nodes/catalog/labels';
import { describeLimits } from '../../nodes/catalog/limits';
import { describePrice } from '../../nodes/catalog/modelList';
import { getModelSpec, type ModelSpec } from '../../nodes/catalog/modelSpec';

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const code = (text: string) => `\`${text}\``;

/** The same look of a field in several models becomes one row that names them. */
function fieldRows(specs: ModelSpec[]): string[][] {
  const rows = new Map<string, { cells: string[]; models: string[] }>();
  for (const { id, fields } of specs)
    for (const [name, field] of Object.entries(fields)) {
      const cells = [code(name), typeInWords(field), limitsOf(field), field.description];
      const key = cells.join('\u0000');
      const row = rows.get(key) ?? { cells, models: [] };
      row.models.push(id);
      rows.set(key, row);
    }
  return [...rows.values()]
    .sort((a, b) => a.cells[0]!.localeCompare(b.cells[0]!))
    .map(({ cells, models }) => [...cells, models.length === specs.length ? 'all' : models.join(', ')]);
}

function typeInWords({ type, required, default: byDefault }: Field): string {
  const notes = [required && 'required', byDefault !== undefined && `default ${byDefault}`].filter(Boolean);
  return [type, ...notes].join(', ');
}

function limitsOf(field: Field): string {
  const entry = Object.entries(field.items ?? {}).map(([name, part]) => {
    const words = describeLimits(part);
    return words ? `${name}: ${words}` : name;
  });
  const otherwise = field.otherwise ? [`otherwise ${field.otherwise}`] : [];
  const assets = field.assets ? ['asset:// accepted'] : [];
  return [describeLimits(field), ...entry, ...assets, ...otherwise].filter(Boolean).join('; ') || '-';
}

const KINDS: Record<Rule['rule'], string> = {
  requires: 'refused without',
  excludes: 'refused with',
  limits: 'refused beyond',
  ignored: 'advice',
  advises: 'advice',
  references: 'advice',
};

function ruleLines(rules: readonly Rule[]): string[] {
  const said = new Map<string, string>();
  for (const rule of rules) said.set(rule.description, `- ${rule.description.charAt(0).toUpperCase()}${rule.description.slice(1)} (${KINDS[rule.rule]}).`);
  return [...said.values()];
}

function priceRow({ id, actions, price, deprecated }: ModelSpec): string[] {
  const stated = price.per === 'unknown' ? price.description : describePrice(price);
  const state = deprecated ? `${deprecated.word}${deprecated.successor ? `, use ${deprecated.successor}` : ''}` : 'served';
  return [code(id), actions.map(toTitle).join(', '), stated, state];
}

function familySection({ title, media, section, models, rules, refused, files }: (typeof families)[number]): string {
  const specs = Object.keys(models).map((id) => getModelSpec(id));
  const served = specs.filter(({ deprecated }) => !deprecated);
  const open = served.some((spec) => spec.open) ? 'Further parameters pass unchecked, in Extra Body.' : '';
  const not = Object.entries(refused ?? {}).map(([name, why]) => `- ${code(name)} is refused: ${why}.`);
  const parts = [
    `## ${title} (${media})`,
    `From section ${section}. ${open}`.trim(),
    table(['Model', 'Actions', 'Price', 'State'], specs.map(priceRow)),
    served.length ? table(['Field', 'Type', 'Accepted', 'Meaning', 'Models'], fieldRows(served)) : '',
    [...ruleLines(rules), ...not, ...(files ?? []).map((line) => `- ${line} (not checked by the node).`)].join('\n'),
  ];
  return parts.filter(Boolean).join('\n\n');
}

/** docs/models.md: every model, field, rule and price of the tables. */
export function modelsPage(): string {
  const common = Object.entries<Field>(EVERY_REQUEST).map(
    ([name, field]) => `- ${code(name)} (${getLabel(name, field)}): ${field.description}.`,
  );
  return [
    '# Models',
    'Written by `npm run build` from the tables in `nodes/catalog/families`; corrections belong there.',
    '"Refused" means: the node says so before sending. "Advice" means: it is sent, and the run says what will happen.',
    'Where a field takes a link to a file, the name of a binary field of the item does as well: the gateway then gets a signed link to it.',
    `Every model also takes:\n\n${common.join('\n')}`,
    ...families.map(familySection),
  ].join('\n\n') + '\n';
}
