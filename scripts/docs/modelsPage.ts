import { EVERY_REQUEST, families, type Field, type Rule } from '../../nodes/catalog/families';
import { getLabel, toTitle } from '../../nodes/catalog/labels';
import { describeLimits } from '../../nodes/catalog/limits';
import { describePrice } from '../../nodes/catalog/modelList';
import { modelSpecs, type KnownModelSpec } from '../../nodes/catalog/modelSpec';
import { code, table } from './markdown';

/** A field that several models have in the same way becomes one row that names them. */
function fieldRows(specs: readonly KnownModelSpec[]): string[][] {
	const rows = new Map<string, { cells: string[]; models: string[] }>();
	for (const { id, fields } of specs)
		for (const [name, field] of Object.entries(fields)) {
			const cells = [code(name), describeType(field), describeAccepted(field), field.description];
			const key = cells.join('\u0000');
			const row = rows.get(key) ?? { cells, models: [] };
			row.models.push(id);
			rows.set(key, row);
		}
	return [...rows.values()]
		.sort((a, b) => a.cells[0]!.localeCompare(b.cells[0]!))
		.map(({ cells, models }) => [
			...cells,
			models.length === specs.length ? 'all' : models.join(', '),
		]);
}

function describeType({ type, required, default: byDefault }: Field): string {
	const notes = [required && 'required', byDefault !== undefined && `default ${byDefault}`].filter(
		Boolean,
	);
	return [type, ...notes].join(', ');
}

function describeAccepted(field: Field): string {
	const items = Object.entries(field.items ?? {}).map(([name, part]) => {
		const words = describeLimits(part);
		return words ? `${name}: ${words}` : name;
	});
	const fallback = field.fallback
		? [`other values: ${field.fallback.charAt(0).toLowerCase()}${field.fallback.slice(1)}`]
		: [];
	const assets = field.assets ? ['asset:// accepted'] : [];
	return (
		[describeLimits(field), ...items, ...assets, ...fallback].filter(Boolean).join('; ') || '-'
	);
}

const KINDS: Record<Rule['rule'], string> = {
	requires: 'checked',
	excludes: 'checked',
	limits: 'checked',
	ignored: 'warning',
	recommends: 'warning',
	references: 'warning',
};

function ruleLines(rules: readonly Rule[]): string[] {
	// Two rules may have the same sentence, e.g. for an action and for a field.
	return [...new Set(rules.map((rule) => `- ${rule.description} (${KINDS[rule.rule]}).`))];
}

function priceRow({ id, actions, price, deprecated }: KnownModelSpec): string[] {
	const stated = price.per === 'unknown' ? price.description : describePrice(price);
	const state = deprecated
		? `${deprecated.reason}${deprecated.replacement ? `, use ${deprecated.replacement}` : ''}`
		: 'served';
	return [code(id), actions.map(toTitle).join(', '), stated, state];
}

function familySection({
	title,
	media,
	section,
	models,
	rules,
	refused,
	files,
}: (typeof families)[number]): string {
	const specs = modelSpecs.filter(({ id }) => Object.hasOwn(models, id));
	const served = specs.filter(({ deprecated }) => !deprecated);
	const open = served.some((spec) => spec.open)
		? 'Further parameters pass unchecked, in Extra Body.'
		: '';
	const notTaken = Object.entries(refused ?? {}).map(
		([name, why]) => `- ${code(name)} is not taken. ${why}.`,
	);
	const parts = [
		`## ${title} (${media})`,
		`From section ${section}. ${open}`.trim(),
		table(['Model', 'Actions', 'Price', 'State'], specs.map(priceRow)),
		served.length
			? table(['Field', 'Type', 'Accepted', 'Meaning', 'Models'], fieldRows(served))
			: '',
		[
			...ruleLines(rules),
			...notTaken,
			...(files ?? []).map((line) => `- ${line} (not checked by the node).`),
		].join('\n'),
	];
	return parts.filter(Boolean).join('\n\n');
}

/** docs/models.md: every model, field, rule and price of the tables. */
export function modelsPage(): string {
	const common = Object.entries<Field>(EVERY_REQUEST).map(
		([name, field]) => `- ${code(name)} (${getLabel(name, field)}): ${field.description}.`,
	);
	return (
		[
			'# Models',
			'Written by `npm run build` from the tables in `nodes/catalog/families`; corrections belong there.',
			'"Checked" rules are refused before sending. "Warning" rules are sent, and the execution shows the warning.',
			'Where a field takes a link to a file, it takes the name of a binary field of the item too: the gateway then gets a signed link to it.',
			`Every model also takes:\n\n${common.join('\n')}`,
			...families.map(familySection),
		].join('\n\n') + '\n'
	);
}
