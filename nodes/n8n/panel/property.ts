import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Field, Fields } from '../../catalog/families';
import { escapeHtml, getLabel, getParameter, toTitle } from '../../catalog/labels';
import { describeLimits } from '../../catalog/limits';

/** Without conditions. */
export type UnconditionalProperty = Omit<INodeProperties, 'displayOptions'>;

type Choice = string | number;

/** Longer ranges are numbers. */
const LONGEST_MENU = 31;

/** Listed in the table, or counted from the limits. */
export function listChoices(field: Field): readonly Choice[] | undefined {
	if (field.enum) return field.enum as readonly Choice[];
	const { type, min, max } = field;
	if (type !== 'integer' || min === undefined || max === undefined) return undefined;
	const length = max - min + 1;
	return length > LONGEST_MENU ? undefined : Array.from({ length }, (_, step) => min + step);
}

/** The description of one model's field, with the limits that no menu shows. */
function describeField(field: Field, hasMenu: boolean): string {
	const { min, max, ...others } = { ...field, enum: undefined };
	const limits = describeLimits(hasMenu ? others : { ...others, min, max });
	const notes = [field.media && 'or a binary field', limits].filter(Boolean).join('; ');
	return escapeHtml(notes ? `${field.description} (${notes})` : field.description);
}

/** A link, an asset, or the name of a binary field. */
const describeLink = ({ assets }: Field): string =>
	`e.g. https://…${assets ? ', asset://…' : ''} or data`;

function toMenu(
	name: string,
	field: Field,
	choices: readonly Choice[],
	isTop: boolean,
): Pick<INodeProperties, 'type' | 'options' | 'default'> {
	const unit = field.unit ? ` ${field.unit}` : '';
	const options = choices.map((value): INodePropertyOptions => {
		const description = field.choices?.[value];
		return {
			name: field.choiceLabels?.[value] ?? `${value}${unit}`,
			value,
			...(description && { description }),
		};
	});
	if (name === 'action' || !isTop)
		return { type: 'options', options, default: (field.default ?? choices[0])! };
	const modelDefault =
		field.default === undefined ? 'Model Default' : `Model Default (${field.default}${unit})`;
	return { type: 'options', options: [{ name: modelDefault, value: '' }, ...options], default: '' };
}

/** A list of objects as a form. */
function toForm(
	name: string,
	items: Fields,
	maxItems: number | undefined,
): Pick<INodeProperties, 'type' | 'placeholder' | 'typeOptions' | 'options' | 'default'> {
	// n8n would mark the fields of an item that is still being added. The check names them.
	const fields = Object.entries(items).map(
		([item, field]) =>
			toProperty(item, { ...field, required: undefined }, true, false) as INodeProperties,
	);
	const displayName = toTitle(name.replace(/_list$/, ''));
	return {
		type: 'fixedCollection',
		placeholder: `Add ${displayName}`,
		typeOptions: { multipleValues: maxItems !== 1 },
		options: [{ name: 'entry', displayName, values: fields }],
		default: {},
	};
}

const INPUTS: Pick<INodeProperties, 'type' | 'typeOptions' | 'default'> = {
	type: 'string',
	typeOptions: { multipleValues: true },
	default: [],
};

/**
 * The n8n property of one field. At the top level a menu starts at Model Default, which is not sent. Lists of
 * objects of `open` models are JSON, since they may hold more than is known.
 */
export function toProperty(
	name: string,
	field: Field,
	isTop: boolean,
	open: boolean,
): UnconditionalProperty {
	const choices = isTop || field.enum ? listChoices(field) : undefined;
	const base = {
		displayName: getLabel(name, field),
		name: getParameter(name, field),
		description: describeField(field, choices !== undefined),
		...(field.placeholder && { placeholder: field.placeholder }),
		...(field.required && { required: true }),
	};
	if (choices) return { ...base, ...toMenu(name, field, choices, isTop) };
	const { type, items, maxItems } = field;
	switch (type) {
		case 'boolean':
			return { ...base, type, default: field.default === true };
		case 'integer':
		case 'number':
			return {
				...base,
				type: 'number',
				typeOptions: {
					minValue: field.min,
					maxValue: field.max,
					numberPrecision: type === 'integer' ? 0 : 2,
				},
				default: Number(field.default ?? field.shown ?? field.min ?? 0),
			};
		case 'link':
			return { placeholder: describeLink(field), ...base, type: 'string', default: '' };
		case 'links':
			return { placeholder: describeLink(field), ...base, ...INPUTS };
		case 'texts':
			return { ...base, ...INPUTS };
		case 'objects':
			if (items && !open) return { ...base, ...toForm(name, items, maxItems) };
			return { ...base, type: 'json', default: '[]' };
		case 'object':
			return { ...base, type: 'json', default: '{}' };
		case 'string':
			return { ...base, ...(name === 'prompt' && PROMPT), type, default: '' };
	}
}

const PROMPT = {
	placeholder: 'e.g. A red kite over the sea at sunset',
	typeOptions: { rows: 4 },
};
