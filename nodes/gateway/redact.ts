import { isObject } from './json';

/** A shorter key occurs in ordinary words. */
const SHORTEST_SECRET = 8;
const REPLACEMENT = '[API key]';

/** Replaces the secret in every text and name within the value. */
export function redact<T>(value: T, secret: string): T {
	return secret.length < SHORTEST_SECRET ? value : (replaceIn(value, patternOf(secret)) as T);
}

/** Links to files and to the execution work for whoever has their signature. */
export const hideSignatures = (text: string): string =>
	text.replace(/([?&](?:token|signature)=)[^&"'\s]*/g, '$1…');

function replaceIn(value: unknown, pattern: RegExp): unknown {
	if (typeof value === 'string') return value.replace(pattern, REPLACEMENT);
	if (Array.isArray(value)) return value.map((part) => replaceIn(part, pattern));
	if (!isObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, part]) => [
			name.replace(pattern, REPLACEMENT),
			replaceIn(part, pattern),
		]),
	);
}

/** The secret in plain text, URI-encoded, escaped in JSON, and in base64. */
function patternOf(secret: string): RegExp {
	const letters = [...secret].map((letter, index) => {
		const bytes = [...Buffer.from(letter)].map((byte) => `%${hex(byte, 2)}`).join('');
		const units = letter.split('').map((unit) => `\\\\+u${hex(unit.charCodeAt(0), 4)}`);
		// Only from the first backslash of a run. From each, a long run would take quadratic time.
		const start = index ? '' : '(?<!\\\\)';
		return `(?:${start}\\\\*${escape(letter)}|${bytes}|${start}${units.join('')})`;
	});
	const base64 = [0, 1, 2].map((offset) => escapeBase64(base64At(secret, offset)));
	return new RegExp([letters.join(''), ...base64].join('|'), 'g');
}

/** The characters that stand for the secret alone, at this offset (modulo 3) in base64. */
function base64At(secret: string, offset: number): string {
	const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
	const [first, end] = [Math.ceil((offset * 4) / 3), Math.floor((bytes.length * 4) / 3)];
	return bytes.toString('base64').slice(first, end);
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
const escapeBase64 = (text: string): string =>
	text.replace(/[+/]/g, (letter) => (letter === '+' ? '[+-]' : '[/_]'));
/** Digits in upper or lower case. */
const hex = (value: number, length: number): string =>
	value
		.toString(16)
		.padStart(length, '0')
		.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
