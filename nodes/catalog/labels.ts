import type { Field } from './schema';
import { getOwn } from './json';

/** Words that title case does not give. */
const WORDS: Record<string, string> = {
	n: 'Number of Images',
	url: 'URL',
	urls: 'URLs',
	id: 'ID',
	img: 'Image',
	image2video: 'Image to Video',
	image2image: 'Image to Image',
	first_last_frame: 'First and Last Frame',
	search_grounded: 'With Web Search',
	and: 'and',
};

/** `first_frame_image` → `First Frame Image` */
export function toTitle(name: string): string {
	const whole = getOwn(WORDS, name);
	if (whole) return whole;
	return name
		.split('_')
		.map((word) => getOwn(WORDS, word) ?? word.charAt(0).toUpperCase() + word.slice(1))
		.join(' ');
}

/** The parameter that stores the field. */
export const getParameter = (name: string, field: Field | undefined): string =>
	field?.parameter ?? name;

export function getLabel(name: string, field: Field | undefined): string {
	return field?.label ?? toTitle(name);
}

/** `a, b or c` */
export function joinWords(words: readonly unknown[], join: 'or' | 'and' = 'or'): string {
	const texts = words.map(String);
	const last = texts.pop() ?? '';
	return texts.length ? `${texts.join(', ')} ${join} ${last}` : last;
}

/** `2,500`. `Intl.NumberFormat` would load its languages first. */
export const formatCount = (count: number): string =>
	String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** A value in quotes, on one line, cut when it is long. */
export function quote(value: unknown): string {
	const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
	const letters = [...text];
	const isLong = letters.length > 80;
	const cut = isLong ? `${letters.slice(0, 60).join('')}…` : text;
	const shown = cut.replace(/\s*[\r\n]\s*/g, ' ');
	const count = isLong ? ` (${formatCount(letters.length)} characters)` : '';
	return `${typeof value === 'string' ? `"${shown}"` : shown}${count}`;
}

/** After "but is": a choice like `4K` as it is, other texts in quotes. Style `text`: a text instead of a number. */
export function describeValue(
	value: unknown,
	style: 'plain' | 'quoted' | 'text' = 'plain',
): string {
	if (typeof value !== 'string') return quote(value);
	if (!value.trim()) return 'empty';
	if (style === 'text') return `the text ${quote(value)}`;
	return style === 'plain' && /^[\w.:-]{1,40}$/.test(value) ? value : quote(value);
}

/** `1 image`, `2 images`. */
export const pluralize = (number: number, noun: string): string =>
	`${number} ${noun}${number === 1 ? '' : 's'}`;

/** The editor reads descriptions, hints and errors as HTML. Without a `<`, nothing begins a tag. */
export const escapeHtml = (sentence: string): string => sentence.replaceAll('<', '&lt;');

/** Also for attributes in double quotes. */
export const toHtml = (text: string): string =>
	escapeHtml(text.replaceAll('&', '&amp;')).replaceAll('"', '&quot;');
