import type { Field, Limits } from '../../nodes/catalog/families';

/**
 * The values that are tried for a field, made from what its table states: each choice, both sides of
 * each limit, each kind of link, and values of other types.
 */

export const TEXT = 'a kite';

const FILES = {
	image: 'https://example.com/a.png',
	video: 'https://example.com/a.mp4',
	audio: 'https://example.com/a.mp3',
} as const;

const linkOf = ({ media = 'image' }: Field): string => FILES[media];

/** A value that the field is made for. */
export function validValue(field: Field): unknown {
	const { type, enum: accepted, min, max, minItems = 1, items = {} } = field;
	if (accepted) return accepted.at(-1);
	switch (type) {
		case 'string':
			return TEXT;
		case 'integer':
		case 'number':
			return field.default ?? min ?? max ?? 1;
		case 'boolean':
			return true;
		case 'link':
			return linkOf(field);
		case 'links':
			return Array(Math.max(minItems, 1)).fill(linkOf(field));
		case 'texts':
			return [TEXT];
		case 'objects':
			return [validItem(items)];
		case 'object':
			return { style: 'sketch' };
	}
}

/** An item with its required fields, or with the first one where none is required. */
function validItem(items: Readonly<Record<string, Field>>): Record<string, unknown> {
	const required = Object.entries(items).filter(([, { required: isRequired }]) => isRequired);
	const fields = required.length ? required : Object.entries(items).slice(0, 1);
	return Object.fromEntries(fields.map(([name, field]) => [name, validValue(field)]));
}

/** Values that no field of this kind is made for. */
export const OTHER_SAMPLES: readonly unknown[] = [
	'',
	' ',
	null,
	0,
	1,
	-1,
	1.5,
	'5',
	true,
	false,
	'true',
	[],
	[''],
	{},
	'auto',
	1e21,
];

/** Texts that are no links, and links that only some fields take. */
const LINK_SAMPLES: readonly unknown[] = [
	'',
	'a.png',
	'http://',
	'HTTP://EXAMPLE.com/a',
	'//example.com/a',
	'ftp://example.com/a',
	' https://example.com/a.png',
	'data:image/png;base64,AAAA',
	'asset://ast_image',
	'asset://ast_video',
	'asset://ast_audio',
	'asset://ast_missing',
	'asset:x',
	'asset://',
	'https://example.com/unreadable.png',
	'https://example.com/4096x3072.png',
	5,
	null,
];

const isNumber = (bound: number | undefined): bound is number => bound !== undefined;

/** Each limit met and missed by one step. */
const bothSides = (bounds: (number | undefined)[], step: number): number[] =>
	bounds.filter(isNumber).flatMap((bound) => [bound - step, bound, bound + step]);

/** Texts of these lengths; an emoji is one character. */
const textsOf = (maxLength: number): string[] => [
	...bothSides([maxLength], 1).map((length) => 'x'.repeat(length)),
	'😀'.repeat(maxLength),
];

/** What the limits accept and refuse, by the type of the field. */
export function limitSamples(limits: Limits, field: Field): unknown[] {
	const { enum: accepted = [], min, max, maxLength, minItems, maxItems } = limits;
	const step = field.type === 'number' ? 0.1 : 1;
	const numbers = bothSides([min, max], step);
	const counts = bothSides([minItems, maxItems], 1).filter((count) => count >= 0);
	const [item] = [validValue({ ...field, enum: undefined, minItems: 1 })].flat();
	return [
		...accepted,
		...accepted.map((value) => (typeof value === 'number' ? String(value) : `${value}x`)),
		...numbers,
		...numbers.map(String).slice(0, 1),
		...(maxLength === undefined ? [] : textsOf(maxLength)),
		...counts.map((count) => Array(count).fill(item)),
	];
}

/** One item with each of its fields set to what is tried for it, and each item with a field too many. */
function itemSamples(items: Readonly<Record<string, Field>>, depth: number): unknown[] {
	const valid = validItem(items);
	const fields = Object.entries(items);
	const whole = Object.fromEntries(fields.map(([name, field]) => [name, validValue(field)]));
	return [
		[whole],
		[{}],
		[{ ...valid, unlisted: 3 }],
		[valid, valid],
		[null],
		[TEXT],
		valid,
		...fields.flatMap(([name, field]) =>
			samplesOf(field, depth + 1).map((value) => [{ ...valid, [name]: value }]),
		),
	];
}

/** Everything that is tried for a field as its table states it. */
export function samplesOf(field: Field, depth = 0): unknown[] {
	const { type, items } = field;
	const link = linkOf(field);
	const byType: Record<Field['type'], unknown[]> = {
		string: [TEXT, `${TEXT} <<<image_1>>> <<<image_9>>>`],
		integer: [2, 5.5],
		number: [2],
		boolean: [true, false],
		link: [link, [link], ...LINK_SAMPLES],
		links: [[link], [link, link], link, ...LINK_SAMPLES.map((sample) => [sample]), [link, null]],
		texts: [[TEXT], TEXT, [5]],
		objects: items ? itemSamples(items, depth) : [],
		object: [{ style: 'sketch' }, TEXT],
	};
	const atLimits = limitSamples(field, field);
	return [validValue(field), ...byType[type], ...atLimits, ...(depth ? [5, ''] : OTHER_SAMPLES)];
}
