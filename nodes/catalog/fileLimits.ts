import { getOwn } from './json';
import { joinWords } from './labels';
import type { FileLimits } from './schema';

const MEGABYTE = 1024 * 1024;
/** Formats that media types name in another way. */
const NAMES: Record<string, string> = {
	jpeg: 'jpg',
	pjpeg: 'jpg',
	'x-png': 'png',
	'x-ms-bmp': 'bmp',
	'x-m4v': 'mp4',
	quicktime: 'mov',
};

/** e.g. `JPG, PNG or WEBP, at most 30 MB` */
export const describeFile = ({ formats, mostMb }: FileLimits): string =>
	joinWords(formats.map((format) => format.toUpperCase())) +
	(mostMb === undefined ? '' : `, at most ${mostMb} MB`);

/** By media type, then by name. Undefined where neither says it. */
function findFormat(mimeType = '', fileName = ''): string | undefined {
	const ofType = /^(?:image|video|audio)\/([^;\s]+)/i.exec(mimeType)?.[1];
	const format = (ofType ?? /\.(\w+)$/.exec(fileName)?.[1])?.toLowerCase();
	return format && (getOwn(NAMES, format) ?? format);
}

/** Returns what the gateway does not take of a file, e.g. `is GIF`. What is not known of it passes. `size`: bytes. */
export function findFileViolation(
	{ formats, mostMb = Infinity }: FileLimits,
	{ mimeType, fileName, size = 0 }: { mimeType?: string; fileName?: string; size?: number },
): string | undefined {
	const format = findFormat(mimeType, fileName);
	if (format && !formats.includes(format)) return `is ${format.toUpperCase()}`;
	return size > mostMb * MEGABYTE ? `has ${(size / MEGABYTE).toFixed(1)} MB` : undefined;
}
