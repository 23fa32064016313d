import type { Field } from './families';
import { getOwn } from './getOwn';

const WORDS: Record<string, string> = {
	n: 'Number of Images',
	url: 'URL',
	urls: 'URLs',
	id: 'ID',
	img: 'Image',
	image2video: 'Image to Video',
	image2image: 'Image to Image',
	and: 'and',
};

/** `first_frame_image` → `First Frame Image`: how a wire name reads in the panel. */
export function toTitle(name: string): string {
	return name
		.split('_')
		.map((word) => getOwn(WORDS, word) ?? word.charAt(0).toUpperCase() + word.slice(1))
		.join(' ');
}

/** The field's name in the panel. */
export function getLabel(name: string, field: Field | undefined): string {
	return field?.label ?? toTitle(name);
}

/** `a, b or c` */
export function joinWords(values: readonly unknown[], join: 'or' | 'and' = 'or'): string {
	const words = values.map(String);
	const last = words.pop() ?? '';
	return words.length ? `${words.join(', ')} ${join} ${last}` : last;
}

/** Any value as text. An object is written as JSON, since it may have no text of its own: `{ "toString": 5 }`. */
export const toText = (value: unknown): string =>
	typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/** A value as it may be repeated to the user: quoted, and never a whole file. */
export function quote(value: unknown): string {
	const text = typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? String(value));
	return text.length > 80 ? `${text.slice(0, 60)}… (${text.length} characters)` : text;
}

/** The editor reads descriptions, hints and errors as HTML. */
export const escapeHtml = (sentence: string): string =>
	sentence.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
