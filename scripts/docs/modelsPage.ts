import {
	EVERY_REQUEST,
	families,
	type Field,
	type Rate,
	type Rule,
	type When,
} from '../../nodes/catalog/families';
import { getLabel, joinWords } from '../../nodes/catalog/labels';
import { describeLimits } from '../../nodes/catalog/limits';
import { describePrice, listServedModels } from '../../nodes/catalog/modelList';
import { modelSpecs, type KnownModelSpec } from '../../nodes/catalog/modelSpec';
import { code, table } from '../doctor/markdown';

/** A field that several models have in the same way becomes one row that names them. */
function fieldRows(specs: readonly KnownModelSpec[]): string[][] {
	const rows = new Map<string, { cells: string[]; models: string[] }>();
	for (const { id, fields } of specs)
		for (const [name, field] of Object.entries(fields)) {
			// The panel offers it under no action.
			if (field.actions?.length === 0) continue;
			const label = `${getLabel(name, field)} ${code(name)}`;
			const cells = [label, describeType(field), describeAccepted(field), field.description];
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

/** What a field takes, in words that need no JSON. */
const TYPES: Record<Field['type'], string> = {
	boolean: 'true or false',
	integer: 'whole number',
	number: 'number',
	string: 'text',
	texts: 'list of texts',
	link: 'link or binary field',
	links: 'links or binary fields',
	object: 'JSON object',
	objects: 'list of entries',
};

function describeType({ type, required, unit, default: byDefault }: Field): string {
	const amount =
		byDefault === undefined ? undefined : [String(byDefault), unit].filter(Boolean).join(' ');
	const notes = [required && 'required', amount !== undefined && `${amount} unless set`];
	return [TYPES[type], ...notes].filter(Boolean).join(', ');
}

function describeAccepted(field: Field): string {
	const items = Object.entries(field.items ?? {}).map(([name, part]) => {
		const words = describeLimits(part);
		return words ? `${name}: ${words}` : name;
	});
	const otherValues = field.otherValues
		? [`any other value: ${field.otherValues.charAt(0).toLowerCase()}${field.otherValues.slice(1)}`]
		: [];
	const assets = field.assets ? ['assets of the library, too'] : [];
	return (
		[describeLimits(field), ...items, ...assets, ...otherValues].filter(Boolean).join('; ') || 'any'
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

function priceRow({ id, actions, fields, price, deprecated }: KnownModelSpec): string[] {
	const stated = price.per === 'unknown' ? price.description : describePrice(price);
	const state = deprecated
		? `${deprecated.reason}${deprecated.replacement ? `, use ${deprecated.replacement}` : ''}`
		: 'available';
	return [
		code(id),
		actions.map((action) => fields.action?.choiceLabels?.[action] ?? action).join(', '),
		stated,
		state,
	];
}

const describeRate = (rate: Rate): string =>
	typeof rate === 'number'
		? String(rate)
		: Object.entries(rate)
				.map(([resolution, usd]) => `${resolution} ${usd === 'unstated' ? 'not stated' : usd}`)
				.join(', ');

/** When another price counts, e.g. `With Audio and Resolution 1080p`. */
function describeCase(
	{ action = [], has = [], is = {} }: When,
	{ fields }: KnownModelSpec,
): string {
	const labelOf = (name: string) => getLabel(name, fields[name]);
	const cases = [
		...(action.length
			? [joinWords(action.map((name) => fields.action?.choiceLabels?.[name] ?? name))]
			: []),
		...(has.length ? [joinWords(has.map(labelOf))] : []),
		...Object.entries(is).map(([name, values]) =>
			values.includes(true) ? labelOf(name) : `${labelOf(name)} ${joinWords(values)}`,
		),
	];
	return `With ${joinWords(cases, 'and')}`;
}

/** All prices of a model that has several. */
function priceLines(spec: KnownModelSpec): string[] {
	const { id, price } = spec;
	if (price.per === 'unknown') return [];
	const others = (price.overrides ?? []).map(
		(other) =>
			`${describeCase(other.when, spec)}: ${describeRate(other.usd)}${'assumed' in other ? ' (assumed)' : ''}`,
	);
	if (typeof price.usd === 'number' && !others.length) return [];
	const all = [describeRate(price.usd), ...others].join('. ');
	return [`- ${code(id)}, USD per ${price.per}: ${all}.`];
}

function familySection({
	title,
	media,
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
		open,
		table(['Model', 'Actions', 'Price', 'State'], specs.map(priceRow)),
		served.flatMap(priceLines).join('\n'),
		served.length
			? table(['Field', 'Takes', 'Accepted', 'Meaning', 'Models'], fieldRows(served))
			: '',
		[
			...ruleLines(rules),
			...notTaken,
			...(files ?? []).map((line) => `- ${line} (not checked by the node).`),
		].join('\n'),
	];
	return parts.filter(Boolean).join('\n\n');
}

/** What a heading is linked by. */
const toAnchor = (heading: string): string =>
	heading
		.toLowerCase()
		.replace(/[^\w\- ]/g, '')
		.replaceAll(' ', '-');

/** The models of a kind, in the order of the list in the editor. */
function choiceTable(media: 'image' | 'video'): string {
	const rows = listServedModels(media).map(({ id, family, price, abilities }) => [
		code(id),
		price,
		abilities,
		`[${family}](#${toAnchor(`${family} (${media})`)})`,
	]);
	const title = media === 'image' ? 'Images' : 'Videos';
	return `### ${title}\n\n${table(['Model', 'Price', 'What it can', 'Fields'], rows)}`;
}

/** docs/models.md: every model, field, rule and price of the tables. */
export function modelsPage(): string {
	const common = Object.entries<Field>(EVERY_REQUEST).map(
		([name, field]) => `- ${code(name)} (${getLabel(name, field)}): ${field.description}.`,
	);
	return (
		[
			'# Models',
			'The image and video models that this package knows, with their fields, rules and prices. The names are those of the gateway. Prices are in USD, as the gateway has stated them, rounded in the first table; what it charges now is in **Model > Get Many Models**. A model that is not here works too: enter its ID, and put its fields into **Extra Body**.',
			'## Which model',
			choiceTable('image'),
			choiceTable('video'),
			'## How to read the rest',
			[
				'- Each field stands under its label in the editor, and under its name in JSON.',
				'- A rule that is *checked* is refused before anything is sent. A *warning* is sent, and the execution shows it.',
				'- Where a field takes a link to a file, it takes the name of a binary field of the item too: the gateway then gets a signed link to it. Formats and sizes are checked in these files, not behind links.',
				'- A field without a value is not sent, and the model takes its own default.',
			].join('\n'),
			`Every model also takes:\n\n${common.join('\n')}`,
			...families.map(familySection),
			'Written by `npm run build` from the tables in `nodes/catalog/families`; corrections belong there.',
		].join('\n\n') + '\n'
	);
}
