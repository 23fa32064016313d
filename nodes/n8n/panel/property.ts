import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Field } from '../../catalog/families';
import { escapeHtml, getLabel, toTitle } from '../../catalog/labels';
import { describeLimits } from '../../catalog/limits';

/** An n8n property without the conditions under which it shows. */
export type PropertyShape = Omit<INodeProperties, 'displayOptions'>;

const LONGEST_MENU = 30;

function menuOf(field: Field): readonly (string | number)[] | undefined {
	if (field.enum) return field.enum as readonly (string | number)[];
	const { type, min, max } = field;
	if (type !== 'integer' || min === undefined || max === undefined || max - min > LONGEST_MENU)
		return undefined;
	return Array.from({ length: max - min + 1 }, (_, step) => min + step);
}

function describe(field: Field, menu: unknown): string {
	const limits = describeLimits(
		menu ? { ...field, enum: undefined, min: undefined, max: undefined } : field,
	);
	const words = [field.media && 'or the name of a binary field', limits].filter(Boolean).join('; ');
	return escapeHtml(words ? `${field.description} (${words})` : field.description);
}

const choice = (value: string | number, name: string): INodePropertyOptions => ({ name, value });

/**
 * The n8n property of one field. At the top level a choice starts at Model Default, which is not
 * sent; in Additional Fields adding the field is the choice. `open` models take raw JSON for lists of objects.
 */
export function toProperty(name: string, field: Field, top: boolean, open: boolean): PropertyShape {
	const menu = top || field.enum ? menuOf(field) : undefined;
	const base = {
		displayName: getLabel(name, field),
		name,
		description: describe(field, menu),
		...(field.placeholder && { placeholder: field.placeholder }),
		...(field.required && { required: true }),
	};
	if (menu) {
		const choices = menu.map((value) =>
			choice(value, name === 'action' ? toTitle(String(value)) : String(value)),
		);
		if (name === 'action' || !top)
			return { ...base, type: 'options', options: choices, default: (field.default ?? menu[0])! };
		const unset =
			field.default === undefined ? 'Model Default' : `Model Default (${field.default})`;
		return { ...base, type: 'options', options: [choice('', unset), ...choices], default: '' };
	}
	switch (field.type) {
		case 'boolean':
			return { ...base, type: 'boolean', default: field.default === true };
		case 'integer':
		case 'number':
			return {
				...base,
				type: 'number',
				typeOptions: {
					minValue: field.min,
					maxValue: field.max,
					numberPrecision: field.type === 'integer' ? 0 : 2,
				},
				default: Number(field.default ?? field.min ?? 0),
			};
		case 'link':
		case 'links': {
			const placeholder = `e.g. https://example.com/${LINKED[field.media ?? 'image']}`;
			if (field.type === 'link') return { placeholder, ...base, type: 'string', default: '' };
			const typeOptions = { multipleValues: true, multipleValueButtonText: 'Add Link' };
			return { placeholder, ...base, type: 'string', typeOptions, default: [] };
		}
		case 'texts':
			return {
				...base,
				type: 'string',
				typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Text' },
				default: [],
			};
		case 'objects':
			if (field.items && !open) return { ...base, ...entryLook(name, field) };
			return { ...base, type: 'json', default: '' };
		case 'object':
			return { ...base, type: 'json', default: '' };
		default:
			return {
				...base,
				type: 'string',
				...(name === 'prompt' && { typeOptions: { rows: 4 } }),
				default: '',
			};
	}
}

const LINKED = { image: 'photo.png', video: 'clip.mp4', audio: 'speech.mp3' } as const;

function entryLook(
	name: string,
	field: Field,
): Pick<INodeProperties, 'type' | 'placeholder' | 'typeOptions' | 'options' | 'default'> {
	const values = Object.entries(field.items!).map(
		([part, partField]) =>
			toProperty(part, { ...partField, required: undefined }, true, false) as INodeProperties,
	);
	const displayName = toTitle(name.replace(/_list$/, ''));
	return {
		type: 'fixedCollection',
		placeholder: `Add ${displayName}`,
		typeOptions: { multipleValues: field.maxItems !== 1 },
		options: [{ name: 'entry', displayName, values }],
		default: {},
	};
}
